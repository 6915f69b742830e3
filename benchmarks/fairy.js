// Fairy-Stockfish for WebAssembly as a UCI engine: node --no-experimental-fetch fairy.js FOLDER
// The package's own uci.js loses commands that come before the engine's thread listens; this one asks until it does.
const path = require("path");
const readline = require("readline");

const folder = path.resolve(process.argv[2]);
const waiting = [];
let listens = false;
let tell = (line) => waiting.push(line);
require(path.join(folder, "stockfish.js"))().then((engine) => {
    const asking = setInterval(() => engine.postMessage("isready"), 250);
    engine.addMessageListener((line) => {
        if (listens) {
            process.stdout.write(line + "\n");
        } else if (line === "readyok") {
            clearInterval(asking);
            listens = true;
            tell = (command) => engine.postMessage(command);
            waiting.splice(0).forEach(tell);
        }
    });
});
readline
    .createInterface({ input: process.stdin })
    .on("line", (line) => (line === "quit" ? process.exit(0) : tell(line)))
    .on("close", () => process.exit(0));

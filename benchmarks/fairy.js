// Fairy-Stockfish for WebAssembly as a UCI engine: node --no-experimental-fetch fairy.js FOLDER
// The engine loses commands that come before its thread listens, which takes a while; this asks until it does.
const path = require("path");
const readline = require("readline");

const waiting = [];
let listens = false;
let tell = (line) => waiting.push(line);
require(path.join(path.resolve(process.argv[2]), "stockfish.js"))().then((engine) => {
    const asking = setInterval(() => engine.postMessage("isready"), 1000);
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

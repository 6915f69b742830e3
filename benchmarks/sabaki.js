// Games between two engines of ours, driven by Sabaki's controller of GTP: node sabaki.js MODULE GAMES COMMAND...
// Each engine hears of the other's moves, and so checks them; a game ends when both say that it is over.
const [, , folder, games, program, ...args] = process.argv;
const { Controller } = require(folder);

const ask = (engine, name, ...words) => engine.sendCommand({ name, args: words });

async function main() {
    let plies = 0;
    const results = {};
    for (let game = 0; game < Number(games); ++game) {
        // Other seeds make other games.
        const engines = [0, 1].map((seat) => new Controller(program, [...args, "--agent", `mcts:seed=${2 * game + seat}`]));
        for (const engine of engines) {
            engine.start();
            const { content } = await ask(engine, "protocol_version");
            if (content.trim() !== "2") throw new Error(`protocol version ${content}`);
        }
        for (let ply = 0; ; ++ply, ++plies) {
            const colour = ply % 2 === 0 ? "black" : "white";
            const mover = engines[(ply + game) % 2], other = engines[(ply + game + 1) % 2];
            const answer = await ask(mover, "genmove", colour);
            if (answer.error && /the game is over/.test(answer.content)) break;
            if (answer.error) throw new Error(`genmove ${colour}: ${answer.content}`);
            const told = await ask(other, "play", colour, answer.content);
            if (told.error) throw new Error(`play ${colour} ${answer.content}: ${told.content}`);
        }
        const scores = [];
        for (const engine of engines) scores.push((await ask(engine, "final_score")).content);
        if (scores[0] !== scores[1]) throw new Error(`two results: ${scores}`);
        results[scores[0][0]] = (results[scores[0][0]] || 0) + 1;
        for (const engine of engines) await engine.stop();
    }
    console.log(`${games} games, ${plies} plies, ${JSON.stringify(results)}; no fault`);
}

main().catch((error) => {
    console.error(`fault: ${error.message}`);
    process.exit(1);
});

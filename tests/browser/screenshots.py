"""Makes the pictures of docs/screenshots: every view, light and dark, wide and on a phone."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import spielbaum as sb

sys.path.append(str(Path(__file__).parents[1]))
from browser.conftest import FLAGS
from studio_server import Server, running

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
SIZES = {"": (1280, 860), "-phone": (390, 844)}
SCROLLED = ("patterns",)
GAME = "d1+d2+c1+e1+d3+d4+c2+c3+b1+a1+b2+d5"


def play(page: Page) -> None:
    page.goto("/#/play?game=chess&moves=e2e4+e7e5+g1f3+b8c6+f1b5+a7a6&p2=human")
    page.wait_for_selector(".moves button")
    page.locator('.hit[data-cell="33"]').click()


def watch(page: Page) -> None:
    page.goto(f"/#/watch?game=connect4&moves={GAME}")
    page.get_by_text("Values of the other agents").or_(page.get_by_text("anderen Agenten")).click()
    page.wait_for_selector(".strip-cells span.best")
    page.wait_for_timeout(6000)


def reversixt(page: Page) -> None:
    """Eight players in the middle of a game; on a phone from nearby."""
    state, chooser = sb.game("reversixt:map=map19").initial(), sb.agent("random:seed=5")
    for _ in range(200):
        state = state.play(chooser.choose(state).move)
    seats = "&".join(f"p{number}=human" for number in range(1, 9))
    page.goto(f"/#/play?game=reversixt:map=map19&moves={state.notation.replace(' ', '+')}&{seats}")
    page.wait_for_selector(".moves button")
    if page.viewport_size == {"width": 390, "height": 844}:
        box = page.locator(".board").bounding_box() or {}
        page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.42 * box["height"])
        page.keyboard.down("Control")
        page.mouse.wheel(0, -240)
        page.keyboard.up("Control")


def analyse(page: Page) -> None:
    page.goto("/#/analyse?game=yavalath&moves=e5+d4+f6+d5")
    page.wait_for_selector(".move-table")
    page.wait_for_timeout(8000)


def graph(page: Page) -> None:
    page.goto("/#/analyse?game=connect4&start=5275331143367744242212")
    page.wait_for_selector(".move-table")
    page.locator(".side .row button").nth(5).click()
    page.wait_for_timeout(14_000)


def tree(page: Page) -> None:
    page.goto("/#/tree?game=reversi&moves=d3+c3+c4")
    page.locator(".tree .twist").first.click()
    page.wait_for_timeout(600)


def ntuples(page: Page) -> None:
    page.goto(f"/#/ntuples?game=connect4&moves={GAME}")
    page.wait_for_selector(".entry-weights")
    page.locator(".tuple-number").nth(3).click()
    page.wait_for_timeout(1500)
    page.mouse.move(0, 0)


def patterns(page: Page) -> None:
    """The inspector further down: a pattern, and tuples drawn by hand."""
    ntuples(page)
    board = page.locator(".card", has=page.locator(".tuple-list")).locator(".board")
    for number in (0, 8, 16, 24):
        board.locator(f'.hit[data-cell="{number}"]').click()
    page.locator(".card", has=page.locator(".entry-weights")).evaluate(
        "each => each.scrollIntoView()"
    )
    page.evaluate("scrollBy(0, -66)")
    page.mouse.move(0, 0)


def trainings(page: Page) -> None:
    page.goto("/#/training")
    page.wait_for_selector(".form-sections details")
    page.locator(".form-sections summary").nth(2).click()


def training(page: Page) -> None:
    page.goto("/#/training/Four%20in%20a%20row")
    page.wait_for_selector(".chart")
    page.wait_for_timeout(1500)


def tournaments(page: Page) -> None:
    page.goto("/#/tournaments")
    page.wait_for_selector(".card >> nth=1")


def tournament(page: Page) -> None:
    page.goto("/#/tournaments/Spring%20cup")
    page.wait_for_selector("table.cross tbody tr")


def lab(page: Page) -> None:
    page.goto("/#/lab/S0.table10")
    page.wait_for_selector(".figure-table")


def help_page(page: Page) -> None:
    page.goto("/#/help")
    page.wait_for_selector(".help-page")


VIEWS = {
    "play": play,
    "watch": watch,
    "reversixt": reversixt,
    "analyse": analyse,
    "graph": graph,
    "tree": tree,
    "ntuples": ntuples,
    "patterns": patterns,
    "trainings": trainings,
    "training": training,
    "tournaments": tournaments,
    "tournament": tournament,
    "lab": lab,
    "help": help_page,
}


def prepare(browser: Browser, server: Server) -> None:
    """A tournament and an experiment, so that there is something to see."""
    page = browser.new_page(base_url=server.address)
    page.goto("/")
    page.evaluate(
        """async () => {
            const post = (path, body) => fetch(`/api/${path}`, {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify(body),
            });
            await post("tournaments", {
                name: "Spring cup", game: "connect4", games: 8, limits: { iterations: 100 },
                agents: ["rave-lgr", "lgr", "amaf", "uct", "random"],
            });
            await post("lab/S0.table10/start", { games: 20 });
            await post("trainings", {
                name: "Four in a row", config: "connect4",
                values: {
                    game: "connect4:rows=5,columns=5", games: 60000,
                    "network.tuples": "walk 20 x 6", "measure.every": 4000,
                    "measure.games": 60, "measure.opponents": "perfect\\nuct",
                    "measure.iterations": 60,
                },
            });
        }"""
    )
    page.goto("/#/tournaments/Spring%20cup")
    page.get_by_text("finished", exact=True).wait_for(timeout=300_000)
    page.wait_for_timeout(10_000)
    page.request.post("/api/lab/S0.table10/stop", data={"games": 20})
    page.goto("/#/training/Four%20in%20a%20row")
    page.get_by_text("finished", exact=True).wait_for(timeout=400_000)
    page.close()


def keep(picture: bytes, path: Path) -> None:
    """Write a picture with 256 colours, which nobody sees and which is a third of the size.

    Those of large areas are exact; the others are near to one that also small things have.
    """
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    pixels = np.asarray(image).reshape(-1, 3)
    colours, places, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    exact = colours[np.argsort(-counts)[:96]]
    rest = image.quantize(160, method=Image.Quantize.MAXCOVERAGE).convert("RGB")
    palette = np.concatenate([exact, np.unique(np.asarray(rest).reshape(-1, 3), axis=0)])
    distances = np.abs(colours[:, None].astype(int) - palette[None]).sum(axis=2)
    nearest = distances.argmin(axis=1).astype(np.uint8)[places.reshape(-1)]
    few = Image.fromarray(nearest.reshape(image.height, image.width), mode="P")
    few.putpalette(palette.astype(np.uint8).tobytes())
    few.save(path, optimize=True)


def main() -> None:
    wanted = sys.argv[1:] or list(VIEWS)
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        prepare(browser, server)
        for name in wanted:
            for theme in ("light", "dark"):
                for suffix, (width, height) in SIZES.items():
                    page = browser.new_page(
                        base_url=server.address,
                        viewport={"width": width, "height": height},
                        color_scheme=theme,
                        locale="de-DE" if suffix else "en-GB",
                    )
                    VIEWS[name](page)
                    if name not in SCROLLED:
                        page.evaluate("scrollTo(0, 0)")
                    page.wait_for_timeout(400)
                    keep(page.screenshot(), FOLDER / f"{name}-{theme}{suffix}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()

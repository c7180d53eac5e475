import { type Terminal } from '../terminal/terminal.js';
import { cutTo } from '../terminal/text.js';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** A terminal as a screen that is redrawn at each change. Its former content comes back when the screen is left. */
export class Screen implements Disposable {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.out.write(ENTER);
  }

  /** Draws the lines that fit the screen. `head` lines are cut to the width; `body` fits already. */
  draw(head: readonly string[], body: string): void {
    const { out } = this.#terminal;
    const { columns = 80, rows = 24 } = out;
    const lines = [...head.map((line) => cutTo(columns, line)), '', ...body.split('\n').slice(0, -1)];
    const room = Math.max(1, rows - 1);
    const shown = lines.length > room ? [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`] : lines;
    out.write(HOME + shown.map((line) => `${line}${CLEAR_LINE}\r\n`).join('') + CLEAR_BELOW);
  }

  [Symbol.dispose](): void {
    this.#terminal.out.write(LEAVE);
  }
}

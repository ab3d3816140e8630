// Writes docs/live-tree.svg: the live tree of an example, as a terminal shows it, as a moving picture. Runs the built command
// line in a pseudo-terminal (script of util-linux), follows what it writes, and turns the screens into frames of one SVG
// that CSS moves. Whoever has asked for less motion sees the last frame.
// node scripts/picture.mjs [--out file] [agent file] [input]
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = commandLine(import.meta.url, { options: { out: { type: 'string' } }, most: 2 });
const out = values.out === undefined ? join(root, 'docs/live-tree.svg') : resolve(values.out);
const [agent = 'examples/newsroom/editor.md', input = 'What the bridge did to the village'] = positionals;

const COLUMNS = 116;
const ROWS = 24;
/** A picture at most this often: the tree moves ten times a second, which nobody needs to see. */
const FRAME_MS = 240;
const LAST_FRAME_MS = 5000;

/** Every screen that the command shows, with the time since its start. It runs in a copy of the example's folder. */
async function film() {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-picture-'));
  cpSync(dirname(resolve(root, agent)), folder, { recursive: true, filter: (file) => basename(file) !== '.cadre' });
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const cadre = [process.execPath, join(root, 'dist/cli/main.js'), 'run', basename(agent), input].map(quoted).join(' ');
  const line = `stty cols ${COLUMNS} rows ${ROWS}; ${cadre}`;
  const env = { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color' };
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const screen = new Screen();
  const shown = [];
  const start = Date.now();
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen.write(text);
    shown.push({ at: Date.now() - start, rows: screen.rows() });
  });
  const exit = await new Promise((done, failed) => child.on('error', failed).on('close', done));
  rmSync(folder, { recursive: true, force: true });
  if (exit !== 0) throw new Error(`${agent} ended with exit code ${exit}.`);
  return shown;
}

/** The screens at even times, and the last one. It ends on the answer: the line below that names the run, and that is never the same. */
function sampled(shown) {
  const frames = [];
  for (const { at, rows } of shown) {
    const slot = Math.floor(at / FRAME_MS);
    if (frames.at(-1)?.slot === slot) frames.pop();
    frames.push({ slot, rows });
  }
  const first = frames[0].slot;
  return frames.map(({ slot, rows }, index) => ({
    rows: untilAnswer(rows),
    from: (slot - first) * FRAME_MS,
    to:
      index + 1 < frames.length
        ? (frames[index + 1].slot - first) * FRAME_MS
        : (slot - first) * FRAME_MS + LAST_FRAME_MS,
  }));
}

function untilAnswer(rows) {
  const summary = rows.findIndex((row) => row.some(({ text }) => /cadre show \d/.test(text)));
  return summary < 0 ? rows : rows.slice(0, summary);
}

/** A control sequence, or one character. */
const ESCAPE = '\u001b';
const TOKEN = new RegExp(`${ESCAPE}\\[[?\\d;]*[A-Za-z]|[^]`, 'gu');

/** The part of a terminal that the command line uses: lines, carriage returns, cursor up, erase, colours. */
class Screen {
  #lines = [[]];
  #row = 0;
  #column = 0;
  /** The row was begun by a wrap, and nothing follows yet. */
  #isWrapped = false;
  #style = '';

  write(text) {
    for (const [token] of text.matchAll(TOKEN)) {
      if (token === '\n') this.#line(this.#row + 1);
      else if (token === '\r') this.#column = 0;
      else if (token.length > 1 && token.startsWith(ESCAPE)) this.#control(token);
      else this.#put(token);
    }
  }

  #put(text) {
    if (this.#column === COLUMNS) this.#wrap(text);
    if (this.#column === 0 && text === ' ' && this.#isWrapped) return;
    this.#isWrapped = false;
    this.#lines[this.#row][this.#column++] = { text, style: this.#style };
  }

  /** A terminal breaks a line anywhere. In the picture the word that does not fit goes to the next line as a whole. */
  #wrap(next) {
    const line = this.#lines[this.#row];
    const blank = line.findLastIndex((cell) => cell?.text === ' ');
    const word = next === ' ' || blank <= 0 ? [] : line.splice(blank + 1);
    this.#line(this.#row + 1);
    this.#lines[this.#row] = word;
    this.#column = word.length;
    this.#isWrapped = true;
  }

  #line(row) {
    this.#row = row;
    while (this.#lines.length <= row) this.#lines.push([]);
  }

  #control(token) {
    const count = Number.parseInt(token.slice(2), 10) || 0;
    if (token.endsWith('A')) this.#line(Math.max(0, this.#row - count));
    else if (token.endsWith('K')) this.#lines[this.#row].length = this.#column;
    else if (token.endsWith('J')) {
      this.#lines.length = this.#row + 1;
      this.#lines[this.#row].length = this.#column;
    } else if (token.endsWith('m')) this.#style = styled(this.#style, count);
  }

  /** Each row as stretches of one style, with the column where each begins. */
  rows() {
    return this.#lines.map((cells) => {
      const stretches = [];
      for (let column = 0; column < cells.length; column++) {
        const { text = ' ', style = '' } = cells[column] ?? {};
        const last = stretches.at(-1);
        if (last?.style === style) last.text += text;
        else stretches.push({ column, style, text });
      }
      return stretches.filter(({ text }) => text.trim() !== '');
    });
  }
}

const COLOURS = { 31: 'red', 32: 'green', 33: 'yellow', 35: 'magenta', 36: 'cyan' };

function styled(style, code) {
  const classes = new Set(style.split(' ').filter(Boolean));
  const drop = (...names) => names.forEach((name) => classes.delete(name));
  if (code === 0) return '';
  if (code === 1) classes.add('strong');
  if (code === 2) classes.add('faint');
  if (code === 22) drop('strong', 'faint');
  if (code === 39 || COLOURS[code]) drop(...Object.values(COLOURS));
  if (COLOURS[code]) classes.add(COLOURS[code]);
  return [...classes].join(' ');
}

function svg(frames) {
  const [cell, height, margin] = [7.8, 19, 18];
  const prompt = [
    { column: 0, style: 'green', text: '$' },
    { column: 2, style: 'strong', text: `cadre run ${basename(agent)} "${input}"` },
  ];
  const most = Math.max(...frames.map(({ rows }) => rows.length)) + 2;
  const size = { width: Math.ceil(COLUMNS * cell + 2 * margin), height: most * height + 2 * margin };
  const total = frames.at(-1).to;
  const known = new Map();
  const idOf = (row) => {
    const text = row.map(({ column, style, text: said }) => span(column * cell, style, said)).join('');
    if (!known.has(text)) known.set(text, `r${known.size}`);
    return known.get(text);
  };
  const place = (row, index) => (row.length === 0 ? '' : `<use href="#${idOf(row)}" y="${index * height}"/>`);
  const groups = frames.map(({ rows }, index) => {
    const drawn = rows.map((row, at) => place(row, at + 2)).join('');
    return `<g class="f${index + 1 === frames.length ? ' last' : ''}" id="f${index}">${drawn}</g>`;
  });
  const rules = frames.map(({ from, to }, index) => keyframes(index, from / total, to / total));
  const defs = [...known].map(([text, id]) => `<text id="${id}">${text}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="The live tree of cadre run: who works on what, turn by turn, with tokens, cost and time">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dbe0;white-space:pre}
.strong{font-weight:600;fill:#fff}.faint{fill:#8b949e}.green{fill:#56d364}.cyan{fill:#56c8d8}.red{fill:#ff7b72}.yellow{fill:#e3b341}.magenta{fill:#d2a8ff}
.f{visibility:hidden;animation-duration:${total}ms;animation-iteration-count:infinite;animation-timing-function:step-end}
${rules.join('\n')}
@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<defs>${defs.join('\n')}</defs>
<g transform="translate(${margin} ${margin + 12})">
<text>${prompt.map(({ column, style, text }) => span(column * cell, style, text)).join('')}</text>
${groups.join('\n')}
</g>
</svg>
`;
}

const span = (x, style, text) =>
  `<tspan x="${+x.toFixed(1)}"${style === '' ? '' : ` class="${style}"`}>${escaped(text)}</tspan>`;
const escaped = (text) => text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Visible from one share of the time to another. */
function keyframes(index, from, to) {
  const at = (share) => `${(share * 100).toFixed(2)}%`;
  const before = from === 0 ? '' : '0%{visibility:hidden}';
  const after = to === 1 ? '' : `${at(to)}{visibility:hidden}`;
  return `#f${index}{animation-name:k${index}}@keyframes k${index}{${before}${at(from)}{visibility:visible}${after}}`;
}

writeFileSync(out, svg(sampled(await film())));

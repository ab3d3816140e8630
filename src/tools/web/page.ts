// A page of HTML as Markdown: the part of it that is worth reading, without menus and scripts. Hostile HTML can make this
// take for ever, so it runs in a thread of its own only (page-reader.ts).

import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

export interface ReadPage {
  readonly title: string;
  readonly markdown: string;
}

/** Beyond this depth the work of finding the readable part grows with the square of the depth: plain text will do. */
const DEEPEST = 150;
/** More elements than this are not looked through for the readable part. */
const MOST_ELEMENTS = 30_000;
/** A readable part that is shorter, of a page that is longer, was not the page's text. */
const SHORT = 200;

/** The part of a page's element that is used here. The types of a browser are not known in this program. */
interface PageElement {
  readonly firstElementChild: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  readonly parentElement: PageElement | null;
  readonly children: Iterable<PageElement>;
  readonly textContent: string | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

interface WebDocument extends Pick<PageElement, 'querySelectorAll'> {
  readonly title: string;
  readonly body: PageElement;
  readonly documentElement: PageElement | null;
  cloneNode(deep: true): unknown;
}

const parsed = (html: string): WebDocument => parseHTML(html).document as unknown as WebDocument;

export function readPage(html: string, url: string): ReadPage {
  const document = parsed(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const title = oneLine(document.title);
  const size = sizeOf(document);
  if (size.depth > DEEPEST) return { title, markdown: plainText(document) };
  absolute(document, url);
  const readable = size.elements > MOST_ELEMENTS ? undefined : readablePart(document);
  const found = readable === undefined ? document.body : parsed(`<html><body>${readable.content}</body></html>`).body;
  return { title: oneLine(readable?.title ?? title), markdown: markdownOf(found) };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The size of a page, without recursion: the page may be nested as deep as it is long. */
function sizeOf(document: WebDocument): { readonly depth: number; readonly elements: number } {
  let depth = 0;
  let deepest = 0;
  let elements = 0;
  let at: PageElement | null = document.documentElement;
  while (at !== null) {
    elements++;
    deepest = Math.max(deepest, depth);
    if (at.firstElementChild !== null) {
      at = at.firstElementChild;
      depth++;
      continue;
    }
    while (at !== null && at.nextElementSibling === null) {
      at = at.parentElement;
      depth--;
    }
    at = at?.nextElementSibling ?? null;
  }
  return { depth: deepest, elements };
}

function plainText(document: WebDocument): string {
  for (const element of document.querySelectorAll('script,style,noscript,template')) element.remove();
  return (document.body.textContent ?? '')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

function readablePart(document: WebDocument): { readonly title: string; readonly content: string } | undefined {
  const whole = (document.body.textContent ?? '').length;
  const copy = document.cloneNode(true) as never;
  const found = new Readability(copy, { charThreshold: SHORT }).parse();
  const { content, title, length } = found ?? {};
  if (typeof content !== 'string' || content === '') return undefined;
  if ((length ?? 0) < SHORT && whole > 2 * SHORT) return undefined;
  return { title: title ?? '', content };
}

/** Addresses that stand alone in the text lead where they led on the page. Images that are written out are left out. */
function absolute(document: WebDocument, url: string): void {
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const written = element.getAttribute(name) ?? '';
      const resolved = URL.canParse(written, url) ? new URL(written, url) : undefined;
      if (resolved !== undefined && /^(?:https?|mailto):$/.test(resolved.protocol))
        element.setAttribute(name, resolved.href);
      else if (name === 'src') element.remove();
      else element.removeAttribute(name);
    }
  }
}

function markdownOf(body: PageElement): string {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove(['script', 'style', 'noscript', 'iframe', 'form', 'button', 'template']);
  service.addRule('table', {
    filter: 'table',
    replacement: (_content, node) => tableOf(node as unknown as PageElement),
  });
  return service
    .turndown(body as never)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const MOST_ROWS = 500;

/** Rows of a table as lines with bars, and a line below the first. */
function tableOf(table: PageElement): string {
  const rows = [...table.querySelectorAll('tr')].slice(0, MOST_ROWS).map((row) => {
    const cells = [...row.children].map((cell) => oneLine(cell.textContent ?? '').replaceAll('|', '\\|'));
    return `| ${cells.join(' | ')} |`;
  });
  const [first, ...others] = rows;
  if (first === undefined) return '';
  const width = first.split(' | ').length;
  return `\n\n${[first, `|${' --- |'.repeat(width)}`, ...others].join('\n')}\n\n`;
}

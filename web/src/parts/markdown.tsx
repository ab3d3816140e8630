// Markdown of models, tools and files, as nodes. Only the lexer of marked is used: nothing becomes markup here.
// MARKDOWN-1. HTML is shown as text. Images are not loaded: their text and address are shown.
// MARKDOWN-2. A link shows where it goes, and goes there only by http, https or mailto, in a tab that knows nothing of
//             this one.

import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';

/** A text longer than this is shown plain: lexing it would take longer than a frame may. */
const LONGEST = 100_000;

export const Markdown = ({ text }: { readonly text: string }) => {
  if (text.length > LONGEST)
    return (
      <div class="md" dir="auto">
        {text}
      </div>
    );
  return <div class="md">{blocks(Lexer.lex(text, { gfm: true }))}</div>;
};

const blocks = (tokens: readonly Token[]): ComponentChildren => tokens.map((token, index) => block(token, index));

function block(token: Token, key: number): ComponentChildren {
  const paragraph = (text: ComponentChildren, look?: string) => (
    <p key={key} class={look} dir="auto">
      {text}
    </p>
  );
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox': // stands at the beginning of its item
      return null;
    case 'heading':
      // A heading of the text, not of the page: the page's own outline stays whole.
      return paragraph(inline((token as Tokens.Heading).tokens), 'strong');
    case 'paragraph':
      return paragraph(inline((token as Tokens.Paragraph).tokens));
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return (
        <span key={key} dir="auto">
          {tokens === undefined ? unescaped(text) : inline(tokens)}
        </span>
      );
    }
    case 'blockquote':
      return <blockquote key={key}>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case 'code':
      return (
        <pre key={key} dir="auto">
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'hr':
      return <hr key={key} />;
    case 'list':
      return listOf(token as Tokens.List, key);
    case 'table':
      return tableOf(token as Tokens.Table, key);
    case 'html':
      return paragraph(token.raw.trimEnd()); // MARKDOWN-1
    default:
      return paragraph(token.raw);
  }
}

function listOf({ ordered, start, items }: Tokens.List, key: number): VNode {
  const rows = items.map((item, index) => (
    <li key={index} class={item.task ? 'md-task' : undefined} dir="auto">
      {item.task && (
        <span role="img" aria-label={item.checked === true ? 'done' : 'open'}>
          {item.checked === true ? '☑ ' : '☐ '}
        </span>
      )}
      {blocks(item.tokens)}
    </li>
  ));
  return ordered ? (
    <ol key={key} start={typeof start === 'number' ? start : 1}>
      {rows}
    </ol>
  ) : (
    <ul key={key}>{rows}</ul>
  );
}

const tableOf = ({ header, rows }: Tokens.Table, key: number): VNode => (
  <table key={key}>
    <thead>
      <tr>
        {header.map((cell, index) => (
          <th key={index} dir="auto">
            {inline(cell.tokens)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        <tr key={index}>
          {row.map((cell, column) => (
            <td key={column} dir="auto">
              {inline(cell.tokens)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const inline = (tokens: readonly Token[]): ComponentChildren => tokens.map((token, index) => span(token, index));

function span(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? unescaped(text) : inline(tokens);
    }
    case 'checkbox':
      return null;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'strong':
      return <strong key={key}>{inline((token as Tokens.Strong).tokens)}</strong>;
    case 'em':
      return <em key={key}>{inline((token as Tokens.Em).tokens)}</em>;
    case 'del':
      return <del key={key}>{inline((token as Tokens.Del).tokens)}</del>;
    case 'codespan':
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return linkOf(token as Tokens.Link, key);
    case 'image': {
      const { text, href } = token as Tokens.Image;
      return (
        <span key={key}>
          [image: {text}] <span class="faint tiny-text">({href})</span>
        </span>
      );
    }
    default:
      return token.raw; // MARKDOWN-1
  }
}

const SAFE = /^(?:https?:|mailto:)/i;

/** MARKDOWN-2 */
function linkOf({ href, tokens, text }: Tokens.Link, key: number): VNode {
  if (!SAFE.test(href))
    return (
      <span key={key}>
        {inline(tokens)} <span class="faint tiny-text">({href})</span>
      </span>
    );
  return (
    <span key={key}>
      <a class="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {inline(tokens)}
      </a>
      {text !== href && <span class="faint tiny-text"> ({href})</span>}
    </span>
  );
}

/** The same as plain text, on one line a block: a table is its first row and *…*, a task stands beside its mark. */
export const plainMarkdown = (text: string): string =>
  text.length > LONGEST ? text : linesOf(Lexer.lex(text, { gfm: true })).join('\n');

const linesOf = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap((token) => {
    if (['space', 'hr', 'def', 'checkbox'].includes(token.type)) return [];
    if (token.type === 'list')
      return (token as Tokens.List).items.map(
        (item) => (item.task ? (item.checked === true ? '☑ ' : '☐ ') : '') + linesOf(item.tokens).join(' '),
      );
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table;
      return [`${(rows[0] ?? header).map(({ tokens: cell }) => plainInline(cell)).join(', ')} …`];
    }
    if (token.type === 'blockquote') return linesOf((token as Tokens.Blockquote).tokens);
    if (token.type === 'code') return [(token as Tokens.Code).text];
    const own = 'tokens' in token ? token.tokens : undefined;
    return [own === undefined ? unescaped(token.raw.trim()) : plainInline(own)];
  });

const plainInline = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'br') return ' ';
      if (token.type === 'checkbox') return '';
      const own = 'tokens' in token ? token.tokens : undefined;
      if (own !== undefined) return plainInline(own);
      return 'text' in token ? unescaped(String(token.text)) : token.raw;
    })
    .join('');

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Markdown names some signs as HTML does. Code shows them as they are written. */
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);

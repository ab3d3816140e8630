// Markdown of models, tools and files, as nodes. Only the lexer of marked is used: nothing becomes markup here.
// MD1. HTML is shown as text. Images are not loaded: their text and address are shown.
// MD2. A link shows where it goes, and goes there only by http, https or mailto, in a tab that knows nothing of this one.

import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';

/** A text longer than this is shown plain: lexing it would take longer than a frame may. */
const LONGEST = 100_000;

export const Markdown = ({ text }: { readonly text: string }) => {
  if (text.length > LONGEST) return <div class="md plain">{text}</div>;
  return <div class="md">{blocks(Lexer.lex(text, { gfm: true }))}</div>;
};

const blocks = (tokens: readonly Token[]): ComponentChildren => tokens.map((token, index) => block(token, index));

function block(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // A heading of the text, not of the page: the page's own outline stays whole.
      return (
        <p key={key} class="md-title">
          {inline((token as Tokens.Heading).tokens)}
        </p>
      );
    }
    case 'paragraph':
      return <p key={key}>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return <span key={key}>{tokens === undefined ? unescaped(text) : inline(tokens)}</span>;
    }
    case 'blockquote':
      return <blockquote key={key}>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case 'code':
      return (
        <pre key={key}>
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
      return <p key={key}>{token.raw.trimEnd()}</p>; // MD1
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function listOf({ ordered, start, items }: Tokens.List, key: number): VNode {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <span aria-label={item.checked === true ? 'done' : 'open'}>{item.checked === true ? '☑ ' : '☐ '}</span>
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
          <th key={index}>{inline(cell.tokens)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        <tr key={index}>
          {row.map((cell, column) => (
            <td key={column}>{inline(cell.tokens)}</td>
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
          [image: {text}] <span class="where">({href})</span>
        </span>
      );
    }
    default:
      return token.raw; // MD1
  }
}

const SAFE = /^(?:https?:|mailto:)/i;

/** MD2 */
function linkOf({ href, tokens, text }: Tokens.Link, key: number): VNode {
  if (!SAFE.test(href))
    return (
      <span key={key}>
        {inline(tokens)} <span class="where">({href})</span>
      </span>
    );
  return (
    <span key={key}>
      <a class="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {inline(tokens)}
      </a>
      {text !== href && <span class="where"> ({href})</span>}
    </span>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Markdown names some signs as HTML does. Code shows them as they are written. */
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);

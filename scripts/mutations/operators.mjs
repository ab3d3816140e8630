// The mistakes that can be made in a text of source: a comparison at its limit, a condition that always or never holds, a
// value turned round, a call that is left out. Types stay as they are, and so does the wording of a message: nothing depends on it.

import { parseAst } from 'rolldown/parseAst';

const SWAPS = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '*': '/',
};

/** Each: the range, the text in its place, the line, and both in words. */
export function mutationsOf(text) {
  const found = [];
  const add = (start, end, other) => {
    const line = text.slice(0, start).split('\n').length;
    found.push({ start, end, text: other, line, says: `${shorten(text.slice(start, end))}  →  ${shorten(other)}` });
  };
  walk(parseAst(text, { lang: 'ts' }).body, (node) => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const { left, right, operator } = node;
        if (SWAPS[operator] === undefined) break;
        const of = ({ start, end }) => text.slice(start, end);
        add(node.start, node.end, `(${of(left)}) ${SWAPS[operator]} (${of(right)})`);
        break;
      }
      case 'IfStatement':
        add(node.test.start, node.test.end, 'false');
        add(node.test.start, node.test.end, 'true');
        break;
      case 'ConditionalExpression':
        if (/^[!=]==$/.test(node.test.operator)) break; // it is turned round as a comparison
        add(node.test.start, node.test.end, `!(${text.slice(node.test.start, node.test.end)})`);
        break;
      case 'Literal':
        if (typeof node.value === 'boolean') add(node.start, node.end, String(!node.value));
        break;
      case 'ExpressionStatement':
        if (isCall(node.expression)) add(node.expression.start, node.expression.end, 'undefined');
        break;
      default:
    }
  });
  return found;
}

/** The ranges of a text in which a mistake can be made, in order. Several mistakes can share one. */
export function placesOf(text) {
  const places = new Map(mutationsOf(text).map(({ start, end }) => [`${start}-${end}`, { start, end }]));
  return [...places.values()].sort((one, other) => one.start - other.start || other.end - one.end);
}

/** The text with a mark in each of its places, which says its number and changes nothing. */
export function marked(text, mark) {
  const edits = placesOf(text).flatMap(({ start, end }, index) => [
    { at: start, text: `(${mark(index)}, (`, rank: index },
    { at: end, text: '))', rank: -index },
  ]);
  // The outer of two places that begin at one point opens first. A place that ends there closes before.
  edits.sort(
    (one, other) =>
      one.at - other.at || Number(one.text !== '))') - Number(other.text !== '))') || one.rank - other.rank,
  );
  let result = '';
  let from = 0;
  for (const edit of edits) {
    result += text.slice(from, edit.at) + edit.text;
    from = edit.at;
  }
  return result + text.slice(from);
}

const isCall = (node) =>
  node.type === 'CallExpression' || (node.type === 'AwaitExpression' && node.argument.type === 'CallExpression');

const shorten = (text) => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
};

/** Calls that take a message for people. */
const SPEAKS = /^(?:fail|fault|warn|\w*Error)$/;
const isSpeech = ({ type, callee }) =>
  (type === 'CallExpression' || type === 'NewExpression') && SPEAKS.test(callee.name ?? callee.property?.name ?? '');

function walk(node, visit, isSaid = false) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit, isSaid);
  else if (typeof node?.type === 'string' && !/^(?:TS(?!AsExpression|NonNull|Satisfies)|Import)/.test(node.type)) {
    if (isSaid && node.type === 'TemplateLiteral') return;
    visit(node);
    const isSaidBelow = isSaid || isSpeech(node);
    for (const [key, child] of Object.entries(node))
      if (key !== 'typeAnnotation' && typeof child === 'object') walk(child, visit, isSaidBelow);
  }
}

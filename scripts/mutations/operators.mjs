// The mistakes that can be made in a text of source: a comparison at its limit, a condition that always or never holds, a
// value turned round, a call that is left out. Types, and texts that people read, stay as they are.

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
        add(node.test.start, node.test.end, `!(${text.slice(node.test.start, node.test.end)})`);
        break;
      case 'Literal':
        if (typeof node.value === 'boolean') add(node.start, node.end, String(!node.value));
        break;
      case 'ExpressionStatement':
        if (isCall(node.expression)) add(node.start, node.end, ';');
        break;
      default:
    }
  });
  return found;
}

const isCall = (node) =>
  node.type === 'CallExpression' || (node.type === 'AwaitExpression' && node.argument.type === 'CallExpression');

const shorten = (text) => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
};

function walk(node, visit) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (typeof node?.type === 'string' && !/^(?:TS(?!AsExpression|NonNull|Satisfies)|Import)/.test(node.type)) {
    visit(node);
    for (const [key, child] of Object.entries(node))
      if (key !== 'typeAnnotation' && typeof child === 'object') walk(child, visit);
  }
}

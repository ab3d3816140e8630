// The shape of one source file, read from its syntax tree: what it imports, exports and declares, and its functions.

import { parseAst } from 'rolldown/parseAst';
import { halfSentencesIn } from './comments.mjs';
import { linesIn, textOf } from './files.mjs';

export function shapeOf(path) {
  const text = textOf(path);
  const shape = {
    path,
    lines: linesIn(text),
    halfSentences: halfSentencesIn(text),
    imports: [],
    exports: [],
    types: [],
    functions: [],
  };
  const lineAt = lineFinder(text);
  const { body } = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  walk(body, undefined, (node, name) => note(shape, node, name, lineAt));
  const imported = new Set(body.filter(({ type }) => type === 'ImportDeclaration').flatMap(localNames));
  for (const one of shape.exports) one.passedOn ||= imported.has(one.name);
  return shape;
}

/** Calls `visit` with every node and with the name that its surroundings give it. */
function walk(node, name, visit) {
  if (Array.isArray(node)) for (const each of node) walk(each, name, visit);
  else if (typeof node?.type === 'string') {
    visit(node, name);
    for (const [key, child] of Object.entries(node))
      if (key !== 'type' && typeof child === 'object') walk(child, nameBelow(node, name), visit);
  }
}

function nameBelow(node, name) {
  if (node.type === 'VariableDeclarator') return node.id.name;
  if (['MethodDefinition', 'Property', 'PropertyDefinition'].includes(node.type)) return nameOf(node.key);
  return node.type === 'ArrowFunctionExpression' ? undefined : name;
}

/** The name of an identifier, or of a name that is written as text. */
const nameOf = (key) => key?.name ?? key?.value ?? '?';

function note(shape, node, name, lineAt) {
  switch (node.type) {
    case 'ImportDeclaration':
      shape.imports.push({ from: node.source.value, names: node.specifiers.map(importedName) });
      break;
    case 'ImportExpression':
      if (node.source.type === 'Literal') shape.imports.push({ from: node.source.value, names: ['*'] });
      break;
    case 'TSImportType':
      shape.imports.push({ from: node.source?.value ?? node.argument?.literal?.value, names: ['*'] });
      break;
    case 'ExportAllDeclaration':
      shape.imports.push({ from: node.source.value, names: ['*'] });
      break;
    case 'ExportNamedDeclaration':
      noteExports(shape, node);
      break;
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'ClassDeclaration':
      if (node.id) shape.types.push(node.id.name);
      break;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      if (node.body) shape.functions.push(functionOf(node, name, lineAt));
      break;
    default:
  }
}

const localNames = ({ specifiers }) => specifiers.map(({ local }) => local.name);

function importedName(specifier) {
  if (specifier.type === 'ImportNamespaceSpecifier') return '*';
  return specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
}

/** `passedOn`: another file declares it. */
function noteExports({ imports, exports }, { source, specifiers, declaration }) {
  if (source) imports.push({ from: source.value, names: specifiers.map(({ local }) => nameOf(local)) });
  const add = (name, passedOn) => {
    // Overloads, and a type beside a value of the same name, are one export.
    if (!exports.some((one) => one.name === name)) exports.push({ name, passedOn });
  };
  for (const { exported } of specifiers) add(nameOf(exported), Boolean(source));
  if (declaration?.id) add(declaration.id.name, false);
  for (const { id } of declaration?.declarations ?? []) if (id.name) add(id.name, false);
}

function functionOf(node, name, lineAt) {
  const line = lineAt(node.start);
  return {
    name: node.id?.name ?? name ?? '(anonymous)',
    parameters: node.params.length,
    line,
    lines: lineAt(node.end - 1) - line + 1,
  };
}

function lineFinder(text) {
  const starts = [0];
  for (let index = 0; index < text.length; index++) if (text[index] === '\n') starts.push(index + 1);
  return (at) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

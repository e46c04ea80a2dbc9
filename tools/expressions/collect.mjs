import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../run/child.mjs';

/** Matches files that read nothing of a client: specs and their helpers, suites, measurements, and the build of the portal. */
const notProduct =
  /(\.spec\.ts$|\/(testing|golden)\/|^(apps\/(e2e|bench|portal)|libs\/([a-z]+-)?testing)\/)/;

/**
 * Every regular expression of the product: literals, and `new RegExp(…)` of what the same file says.
 * `unread` lists those that are made of anything else.
 */
export async function expressions() {
  const found = [];
  const unread = [];
  for await (const file of glob('{apps,libs}/*/src/**/*.ts', { cwd: root })) {
    if (notProduct.test(file)) continue;
    const tree = ts.createSourceFile(
      file,
      await readFile(join(root, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    for (const node of everyNode(tree)) {
      const expression = expressionAt(node, tree);
      if (expression === undefined) continue;
      if (expression === null)
        unread.push({ file, text: node.getText(tree).replaceAll(/\s+/g, ' ') });
      else found.push({ file, ...expression });
    }
  }
  return { found, unread };
}

function* everyNode(node) {
  yield node;
  for (const child of node.getChildren()) yield* everyNode(child);
}

/** Undefined where there is none, null where it cannot be told. */
function expressionAt(node, tree) {
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text);
  if (!ts.isNewExpression(node) || node.expression.getText(tree) !== 'RegExp') return undefined;
  const [given, flags] = node.arguments ?? [];
  const source = textOf(given, tree);
  return source === null ? null : { source, flags: flags ? (textOf(flags, tree) ?? '') : '' };
}

function partsOf(literal) {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The text that an expression of TypeScript has, as far as constants of its file give it; else null. */
function textOf(node, tree) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).source;
  if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node))
    return textOf(node.expression, tree);
  if (ts.isTaggedTemplateExpression(node)) return templateText(node.template, tree, true);
  if (ts.isTemplateExpression(node)) return templateText(node, tree, false);
  if (ts.isIdentifier(node)) return constantText(node.text, tree);
  if (ts.isBinaryExpression(node)) return joined([node.left, node.right], tree);
  if (ts.isCallExpression(node)) return joinedArray(node, tree);
  return null;
}

function templateText(template, tree, isRaw) {
  const said = (part) => (isRaw ? part.rawText : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(template)) return said(template);
  let text = said(template.head);
  for (const { expression, literal } of template.templateSpans) {
    const inner = textOf(expression, tree);
    if (inner === null) return null;
    text += inner + said(literal);
  }
  return text;
}

function joined(nodes, tree, between = '') {
  const texts = nodes.map((node) => textOf(node, tree));
  return texts.includes(null) ? null : texts.join(between);
}

/** `[…].join('…')` */
function joinedArray({ expression: called, arguments: [between] }, tree) {
  const isJoin = ts.isPropertyAccessExpression(called) && called.name.text === 'join';
  if (!isJoin || !between || !ts.isArrayLiteralExpression(called.expression)) return null;
  return joined(called.expression.elements, tree, textOf(between, tree) ?? '');
}

function constantText(name, tree) {
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: declared, initializer } of statement.declarationList.declarations) {
      if (initializer && declared.getText(tree) === name) return textOf(initializer, tree);
    }
  }
  return null;
}

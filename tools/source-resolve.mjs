/** Node's hook `resolve`: packages resolve to their TypeScript source, and `./x.js` beside it to `./x.ts`. */
export function resolveToSource(specifier, context, next) {
  const isBeside = /^\..*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts');
  return next(isBeside ? specifier.replace(/js$/, 'ts') : specifier, {
    ...context,
    conditions: ['@postroom/source', ...context.conditions],
  });
}

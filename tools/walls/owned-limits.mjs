/**
 * Load is bounded in libs/limits alone, where every bound has a name and an owner (docs/limits.md). The rule refuses
 * what else would bound it: packages for that, classes that are named so, pools of threads (their queue has no owner), and
 * counts of what is under way that are compared with a maximum. What is truly different says why in a comment that disables
 * the rule. A window of a rate is made of one that `declareRates` names, and so is what the database counts: a number with the
 * name of a rate stands in limits.ts alone. A declared limit without an owner is refused.
 */
export const ownedLimits = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      bound: 'Declare this bound in limits.ts and enforce it with a Budget of libs/limits.',
      owner: 'A limit names the share of each owner.',
    },
  },
  create(context) {
    const bound = (node) => context.report({ node, messageId: 'bound' });
    const declares = context.filename.endsWith('/limits.ts');
    const boundRate = (node, name, value) => {
      if (!declares && rates.test(name ?? '') && typeof value?.value === 'number') bound(node);
    };
    return {
      VariableDeclarator: (node) => boundRate(node, node.id.name, node.init),
      Property: (node) => boundRate(node, node.key.name, node.value),
      ImportDeclaration(node) {
        if (packages.has(node.source.value)) bound(node);
      },
      ClassDeclaration(node) {
        if (names.test(node.id?.name ?? '')) bound(node);
      },
      NewExpression(node) {
        const { name } = node.callee;
        const isRate = ({ arguments: [rate] }) =>
          rate !== undefined && /^rates\.\w+$/.test(context.sourceCode.getText(rate));
        if (name === 'Piscina' || (name === 'SlidingWindow' && !isRate(node))) bound(node);
      },
      BinaryExpression(node) {
        if (!comparisons.has(node.operator)) return;
        const sides = [node.left, node.right].map((side) => context.sourceCode.getText(side));
        if (sides.some((side) => maximum.test(side)) && sides.some((side) => underWay.test(side)))
          bound(node);
      },
      "CallExpression[callee.name='declareLimits'] > ObjectExpression > Property > ObjectExpression"(
        node,
      ) {
        if (!hasOwner(node)) context.report({ node, messageId: 'owner' });
      },
    };
  },
};

const packages = new Set([
  'async-mutex',
  'async-sema',
  'bottleneck',
  'p-limit',
  'p-queue',
  'p-throttle',
]);
const names = /(?:Budget|Bulkhead|Limiter|Pacer|Places|Queue|Semaphore|Throttle)$/;
const rates = /(?:triesMax|perMinute|perHour)$/i;
const comparisons = new Set(['<', '<=', '>', '>=']);
const maximum = /(?:Max|AtOnce|Limit)$/;
const underWay =
  /\b(?:active|inFlight|open|pending|running|sends|underWay|waiting)(?:Count|\.size|\.length|\.all)?$/i;

const hasOwner = ({ properties }) => {
  const shares = properties.find(({ key }) => key?.name === 'shares')?.value;
  return (
    shares !== undefined && (shares.type !== 'ObjectExpression' || shares.properties.length > 0)
  );
};

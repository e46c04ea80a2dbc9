/**
 * Contracts describe a property by exactly one decorator, a composite one of `fields/`: two would
 * have to agree, and one from elsewhere validates without being described (architecture, Fields).
 */
export const fieldDecorators = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      foreign: 'A property of a contract takes its decorator from fields/.',
      several: 'A property of a contract has one decorator: compose them in fields/.',
    },
  },
  create(context) {
    return {
      'PropertyDefinition, AccessorProperty, TSParameterProperty'({ decorators = [] }) {
        for (const decorator of decorators.slice(1))
          context.report({ node: decorator, messageId: 'several' });
        const [first] = decorators;
        if (first && !isField(first.expression, context.sourceCode)) {
          context.report({ node: first, messageId: 'foreign' });
        }
      },
    };
  },
};

function isField(expression, sourceCode) {
  const name = expression.type === 'CallExpression' ? expression.callee : expression;
  if (name.type !== 'Identifier') return false;
  const imported = definition(name, sourceCode.getScope(name));
  return (
    imported?.type === 'ImportBinding' &&
    /^\.{1,2}\/(.*\/)?fields\//.test(imported.parent.source.value)
  );
}

function definition(name, scope) {
  const variable = scope.set.get(name.name);
  if (variable) return variable.defs[0];
  return scope.upper ? definition(name, scope.upper) : undefined;
}

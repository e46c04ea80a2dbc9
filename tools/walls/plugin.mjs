import { fieldDecorators } from './field-decorators.mjs';
import { ownedLimits } from './owned-limits.mjs';
import { wholeSentences } from './whole-sentences.mjs';

/** The rules of the house, for `jsPlugins` of oxlint.config.ts. */
export default {
  meta: { name: 'postroom' },
  rules: {
    'field-decorators': fieldDecorators,
    'owned-limits': ownedLimits,
    'whole-sentences': wholeSentences,
  },
};

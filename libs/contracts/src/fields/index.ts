export * from './decode.js';
export * from './decorators.js';
export { fieldsOf, type Dto, type Field, type JsonSchema, type Wording } from './registry.js';
export { fieldSchema, jsonSchema } from './schema.js';

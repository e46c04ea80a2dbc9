export { Recipient, recipientsMax } from './address-list.js';
export { isEmail, wireAddress } from './address.js';
export * from './addresses.js';
export { bodyBytesMax, streamedParts, type StreamedPart } from './streamed-parts.js';
export * from './attached-files.js';
export * from './book-access.js';
export * from './choices.js';
export * from './contact-points.js';
export * from './content.js';
export * from './day.js';
export * from './decode.js';
export * from './email.js';
export * from './header-text.js';
export * from './id.js';
export * from './if-match.js';
export * from './instant.js';
export * from './json.js';
export * from './label.js';
export * from './page-token.js';
export * from './parts.js';
export * from './raw.js';
export {
  fieldsOf,
  type Dto,
  type Field,
  type InnerFault,
  type JsonSchema,
  type Nested,
  type Wording,
} from './registry.js';
export { unknownReference, type Reference } from './reference.js';
export * from './scalars.js';
export { jsonSchema, valueSchema, type SchemaOptions } from './schema.js';
export * from './text.js';
export { isVisible, unseenFaults } from './visible.js';
export { withOptional } from './with-optional.js';
export { Integers } from './integers.js';
export { EmailOrNone, OneOfOr } from './lenient.js';
export { Millis, MillisList } from './millis.js';
export { WebLink } from './web-link.js';

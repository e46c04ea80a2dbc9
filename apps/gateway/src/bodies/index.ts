export { StreamedBodies } from './streamed-bodies.js';
export { jsonParser, parseBody, readBody, type ParseJson } from './read-body.js';

export { StreamedBodies } from './streamed-bodies.js';
export { jsonParser, parseBody, readBody, textOfBody, type ParseJson } from './read-body.js';

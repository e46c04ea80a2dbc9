export { StreamedBodies } from './streamed-bodies.js';
export { jsonParser, parseBody, readBody, readText, type ParseJson } from './read-body.js';

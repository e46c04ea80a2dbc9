export { ApartBodies } from './apart-bodies.js';
export { jsonParser, parseBody, readBody, type ParseJson } from './read-body.js';

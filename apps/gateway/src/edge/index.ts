export { giveUpMs } from './http/connections.js';
export { fastifyAdapter } from './http/fastify-adapter.js';
export { ProblemFilter } from './http/problem.filter.js';
export { throttlerOptions } from './http/rate-limits.js';
export { recordAnswers } from './http/record-answers.js';
export { traceRequests } from './http/trace-requests.js';
export { edgeControllers, edgeProviders } from './providers.js';
export { publishedPaths } from './published-paths.js';
export { Streams } from './stream/stream.controller.js';

/** Options of Node that the product runs with, as docker/Dockerfile has them, and why: docs/adr/0035. */
export const nodeOptions = [
  '--enable-source-maps',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
];

/** Their environment variables, which are read before Node starts. */
export const nodeEnvironment = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

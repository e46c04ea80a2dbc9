import { describe, expect, it } from '@jest/globals';
import { ProbesController } from './http/probes.controller.js';
import { edgeControllers } from './providers.js';
import { publishedPaths } from './published-paths.js';

const pathOf = (controller: object): string =>
  `/${String(Reflect.getMetadata('path', controller)).replace(/^\//, '')}`;

describe('the published paths', () => {
  it('lead to every controller but the one of probes and metrics', () => {
    const others = edgeControllers.filter((one) => one !== ProbesController);
    expect(others.length).toBeGreaterThan(3);
    const isPublished = (path: string): boolean =>
      publishedPaths.some((one) => path === one || (one !== '/' && path.startsWith(`${one}/`)));
    expect(others.map(pathOf).filter((path) => !isPublished(path))).toEqual([]);
    expect(['/healthz', '/readyz', '/metrics'].filter(isPublished)).toEqual([]);
  });
});

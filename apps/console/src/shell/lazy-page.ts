import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';

/** Loads the module in which a page of that name is. */
export type PageLoader<N extends string> = () => Promise<Readonly<Record<N, FunctionComponent>>>;

/** A page whose code is loaded when it is opened. */
export const lazyPage = <N extends string>(load: PageLoader<N>, name: N): RouteComponent =>
  lazyRouteComponent(async () => ({ default: (await load())[name] }));

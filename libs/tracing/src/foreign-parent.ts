import { createContextKey, type Context } from '@opentelemetry/api';

const key = createContextKey('the parent is of a stranger');

/** A context whose parent is somebody else's, whose decision to record the trace does not count. */
export const asForeign = (context: Context): Context => context.setValue(key, true);

export const isForeign = (context: Context): boolean => context.getValue(key) === true;

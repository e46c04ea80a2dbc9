import { randomBytes } from 'node:crypto';

/** 16 random bytes in base64url; its tools take one that begins with a hyphen for an option. */
export const newClusterId = (): string => randomBytes(16).toString('base64url').replace(/^-/, 'A');

import { setting } from '@postroom/service';

const releases = ['0.1.0'] as const;

/** Releases beside which a process of this one does something otherwise. */
export type OlderRelease = (typeof releases)[number];

/** The setting `COMPATIBLE_WITH`, for configuration classes. */
export const compatibleWith = setting.oneOf(
  'COMPATIBLE_WITH',
  'For the time of an upgrade, the release that processes beside this one may be of; what they send without a signature is believed.',
  releases,
  { nullable: true },
);

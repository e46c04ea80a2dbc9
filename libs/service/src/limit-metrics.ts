import { declaredLimits, useOf, type Tally } from '@postroom/limits';
import { Counter, Gauge, type Registry } from 'prom-client';

/** One family of metrics for all limits. No label names the owner of a share. */
export function watchLimits(registry: Registry): void {
  const labelNames = ['limit'];
  const registers = [registry];
  const each = (what: keyof Tally, tell: (limit: string, value: number) => void): void => {
    for (const limit of declaredLimits()) tell(limit.name, useOf(limit)[what]);
  };
  new Gauge({
    ...{ name: 'postroom_limit_used', labelNames, registers },
    help: 'How much of a limit is used, in its unit (docs/limits.md).',
    collect() {
      each('used', (limit, value) => this.set({ limit }, value));
    },
  });
  new Gauge({
    ...{ name: 'postroom_limit_waiting', labelNames, registers },
    help: 'What waits for its turn within a limit.',
    collect() {
      each('waiting', (limit, value) => this.set({ limit }, value));
    },
  });
  const counters = {
    refused: 'What found no room within a limit.',
    shared: 'What one owner got within a limit while another one found no room.',
  };
  for (const [what, help] of Object.entries(counters) as [keyof typeof counters, string][]) {
    new Counter({
      ...{ name: `postroom_limit_${what}_total`, help, labelNames, registers },
      collect() {
        this.reset();
        each(what, (limit, value) => this.inc({ limit }, value));
      },
    });
  }
}

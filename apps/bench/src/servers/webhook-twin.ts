import { newId, signatureHeaders } from '@postroom/contracts';
import { Agent } from 'undici';
import { cpuMsSoFar, obey } from '../rig/obey.js';
import type { TwinOrder, TwinReport } from '../webhooks/orders.js';

/** Signed POSTs and nothing else: what is delivered is remembered by nobody. */
const agent = new Agent({ pipelining: 1 });

async function post({ url, body, secret }: TwinOrder): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const timestamp = Math.floor(Date.now() / 1000);
  const bytes = Buffer.from(body);
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders({ id: newId('evn'), timestamp, body: bytes }, [secret]),
  };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body: bytes });
  await answer.body.dump();
}

obey(
  async (order: TwinOrder): Promise<TwinReport> => {
    const [began, cpuBefore] = [performance.now(), cpuMsSoFar()];
    let left = order.count;
    const client = async (): Promise<void> => {
      while (left-- > 0) await post(order);
    };
    await Promise.all(Array.from({ length: order.atOnce }, client));
    return { ms: performance.now() - began, cpuMs: cpuMsSoFar() - cpuBefore };
  },
  () => agent.close(),
);

import { join } from 'node:path';
import type { GatewayApp } from '@postroom/gateway';
import type { WorkspaceConfig } from '../config.js';
import { readJson, writeSecretFile } from '../installation.js';
import type { Workspace } from '../workspace.js';
import type { DemoFacts, DemoTenant } from './demo-facts.js';
import { sendDemoMail } from './demo-mail.js';
import { seedTenant } from './seed-tenant.js';

/** Two, so that isolation can be seen. */
const names = ['acme', 'globex'];

/** Makes the demo at the first start; later ones keep it and only refresh the addresses. */
export async function openDemo(config: WorkspaceConfig, workspace: Workspace): Promise<DemoFacts> {
  const file = join(config.dataDir, 'demo.json');
  const { publicUrl, gateway } = workspace;
  const smtp = { host: '127.0.0.1', port: config.smtpPort };
  const known = await readJson<DemoFacts>(file);
  const facts: DemoFacts = {
    baseUrl: `${publicUrl}/public`,
    settingsUrl: `${publicUrl}/settings/api`,
    consoleUrl: `${publicUrl}/`,
    smtp,
    outbox: join(config.dataDir, 'outbox'),
    tenants: (await whatIsHere(gateway, known)) ?? (await seed(gateway, config.port, smtp)),
  };
  await writeSecretFile(file, facts);
  return facts;
}

/** The workspaces of an earlier start, if they are in this database (it may be another one, or new). */
async function whatIsHere(
  gateway: GatewayApp,
  known: DemoFacts | undefined,
): Promise<readonly DemoTenant[] | undefined> {
  for (const { id, name } of known?.tenants ?? []) {
    if ((await gateway.workspaceId(name)) !== id) return undefined;
  }
  return known?.tenants;
}

/** May be repeated: one that was cut off is made whole. */
async function seed(
  gateway: GatewayApp,
  port: number,
  smtp: DemoFacts['smtp'],
): Promise<DemoTenant[]> {
  const seeded: DemoTenant[] = [];
  for (const name of names) {
    seeded.push(await seedTenant(gateway, `http://127.0.0.1:${port}/settings/api`, name));
    await sendDemoMail(smtp, name);
  }
  return seeded;
}

import { join } from 'node:path';
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
  const local = `http://127.0.0.1:${config.port}`;
  const smtp = { host: '127.0.0.1', port: config.smtpPort };
  const known = await readJson<DemoFacts>(file);
  const tenants = (await stillOpen(local, known)) ? known?.tenants : undefined;
  const seed = async (): Promise<DemoTenant[]> => {
    const seeded: DemoTenant[] = [];
    for (const name of names) {
      seeded.push(await seedTenant(gateway, `${local}/settings/api`, name));
      await sendDemoMail(smtp, name);
    }
    return seeded;
  };
  const facts: DemoFacts = {
    baseUrl: `${publicUrl}/public`,
    settingsUrl: `${publicUrl}/settings/api`,
    consoleUrl: `${publicUrl}/`,
    smtp,
    outbox: join(config.dataDir, 'outbox'),
    tenants: tenants ?? (await seed()),
  };
  await writeSecretFile(file, facts);
  return facts;
}

/** Whether the keys of an earlier start open this database (it may be another one, or new). */
async function stillOpen(local: string, facts: DemoFacts | undefined): Promise<boolean> {
  const [tenant] = facts?.tenants ?? [];
  if (!tenant) return false;
  const mailbox = encodeURIComponent(tenant.mailboxes[0] ?? '');
  const response = await fetch(`${local}/public/v1/conversations?limit=1&mailbox=${mailbox}`, {
    headers: { 'x-api-key': tenant.keys.admin },
  });
  await response.arrayBuffer();
  return response.status !== 401;
}

import { join } from 'node:path';
import type { PostroomConfig } from '../config.js';
import { readJson, writeSecretFile } from '../installation.js';
import { outboxFolder } from '../outbox.js';
import type { RunningProduct } from '../in-process.js';
import type { DemoFacts, DemoTenant } from './demo-facts.js';
import { sendDemoMail } from './demo-mail.js';
import { planDemoWork } from './demo-planning.js';
import { workOnDemoMail } from './demo-triage.js';
import { seedTenant } from './seed-tenant.js';

/** Two workspaces, to show that they are isolated. */
const names = ['acme', 'globex'];

/**
 * Makes the demo at the first start. Later starts only refresh the addresses in `demo.json`, and the
 * processes whenever one is replaced.
 */
export async function openDemo(
  config: PostroomConfig,
  product: RunningProduct,
): Promise<DemoFacts> {
  const file = join(config.dataDir, 'demo.json');
  const { publicUrl, access } = product;
  const host = '127.0.0.1';
  const smtp = { host, port: config.smtpPort };
  const known = await readJson<DemoFacts>(file);
  const facts: DemoFacts = {
    baseUrl: `${publicUrl}/public`,
    settingsUrl: `${publicUrl}/settings/api`,
    consoleUrl: `${publicUrl}/`,
    smtp,
    ...(config.lmtpPort !== null && { lmtp: { host, port: config.lmtpPort } }),
    outbox: outboxFolder(config),
    tenants: (await whatIsHere(access, known)) ?? (await seed(access, config.port, smtp)),
  };
  await writeSecretFile(file, facts);
  let written = Promise.resolve();
  product.watchInstances?.((instances) => {
    written = written.then(() => writeSecretFile(file, { ...facts, instances }));
  });
  await written;
  return facts;
}

/** The workspaces of an earlier start, if they are in this database, which may be another one. */
async function whatIsHere(
  access: RunningProduct['access'],
  known: DemoFacts | undefined,
): Promise<readonly DemoTenant[] | undefined> {
  for (const { id, name } of known?.tenants ?? []) {
    if ((await access.workspaceId(name)) !== id) return undefined;
  }
  return known?.tenants;
}

/** It is idempotent, and completes a demo that was interrupted. */
async function seed(
  access: RunningProduct['access'],
  port: number,
  smtp: DemoFacts['smtp'],
): Promise<DemoTenant[]> {
  const [settingsUrl, publicUrl] = [`${urlOf(port)}/settings/api`, `${urlOf(port)}/public`];
  const seedOne = async (name: string): Promise<DemoTenant> => {
    const tenant = await seedTenant(access, settingsUrl, name);
    await sendDemoMail(smtp, name);
    await workOnDemoMail(publicUrl, tenant);
    await planDemoWork(settingsUrl, tenant);
    return tenant;
  };
  return Promise.all(names.map(seedOne));
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

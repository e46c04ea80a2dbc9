import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import type { NewKey } from '@postroom/contracts';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { apiUrl, Copied } from '../keys/secret-once.js';
import { Page } from '../ui/page.js';
import { AgentKeyForm } from './agent-key-form.js';
import { FirstCall } from './first-call.js';
import { mcpClients } from './mcp-clients.js';
import { Step } from './step.js';

/** The whole way of an agent: its key, its client, its first request, the decision, and what came of it. */
export function AgentPage(): ReactElement {
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <Page
      title="Connect an agent"
      width={860}
      intro={
        <>
          From a key to the first approved write, on one page. The agent’s{' '}
          <Anchor component={Link} to="/keys" inherit underline="always">
            key
          </Anchor>{' '}
          can be changed or revoked at any time.
        </>
      }
    >
      <Step number={1} title="Make its key">
        {made ? (
          <Stack gap="sm">
            <Text size="sm">
              The key <bdi>{made.key.name}</bdi> is shown this once; it stands in the configuration
              below too.
            </Text>
            <Copied label="Key" value={made.secret} />
          </Stack>
        ) : (
          <AgentKeyForm onMade={setMade} />
        )}
      </Step>
      {made && (
        <>
          <Step number={2} title="Give it to the agent’s client">
            <Clients secret={made.secret} />
          </Step>
          <FirstCall keyId={made.key.id} />
        </>
      )}
    </Page>
  );
}

function Clients({ secret }: { secret: string }): ReactElement {
  const url = `${apiUrl()}/mcp`;
  return (
    <Tabs defaultValue={mcpClients[0]?.name ?? ''} keepMounted={false}>
      <Tabs.List mb="sm">
        {mcpClients.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {mcpClients.map(({ name, where, config }) => (
        <Tabs.Panel key={name} value={name}>
          <Copied label={where} value={config(url, secret)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

import type { RecoveryCodes as NewCodes } from '@postroom/contracts';
import { Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Section } from '../ui/page.js';
import { passkeysQuery, secondFactorQuery } from './queries.js';
import { ShownOnce } from './shown-once.js';

/** Codes for when every second factor is out of reach. */
export function RecoveryCodes(): ReactElement | null {
  const { data } = useQuery(secondFactorQuery);
  const { data: passkeys } = useQuery(passkeysQuery);
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  if (!data || !passkeys) return null;
  const hasFactor = data.totp || passkeys.items.length > 0;
  if (!hasFactor && codes.length === 0) return null;
  return (
    <Section
      title="Recovery codes"
      about="They let you in when you have neither your application nor a passkey. Each works once."
    >
      <ShownOnce codes={codes} onClose={() => setCodes([])} />
      <Group justify="space-between">
        <Text size="sm" fw={data.recoveryCodes < 3 ? 700 : 400}>
          {data.recoveryCodes} of 10 are left.
        </Text>
        <ConfirmButton
          {...{ label: 'Make new codes', confirm: 'Make new ones' }}
          question="The codes that you have now stop working."
          onConfirm={async () => {
            const { recoveryCodes } = await api.post<NewCodes>('/me/recovery-codes');
            setCodes(recoveryCodes);
            await client.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
          }}
        />
      </Group>
    </Section>
  );
}

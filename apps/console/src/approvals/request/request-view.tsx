import { Alert, Box, Code, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { countHidden } from '../../ui/marked-text.js';
import { Icon } from '../../ui/icons.js';
import { labelOf, shownRequest, type ShownField, type ShownRequest } from './fields.js';
import { ShownValue } from './field-value.js';
import style from './request.module.css';

/** Texts that are shown as they would be read, on a paper of their own. */
const papers = new Set(['body', 'comment']);

/** The request of an agent: recipient, subject and text first, the rest folded. */
export function RequestView({ approval }: { approval: ApprovalRequest }): ReactElement {
  const { kind, main, rest } = shownRequest(approval);
  const hidden = countHidden([approval.payload, approval.difference?.after ?? null]);
  const lines = main.filter(({ name }) => !papers.has(name));
  return (
    <Stack gap="sm">
      {hidden > 0 && <HiddenWarning />}
      {kind === 'remove' && (
        <Text size="sm" c="red" fw={500}>
          This would be deleted:
        </Text>
      )}
      {kind === 'update' && main.length === 0 && (
        <Text size="sm" c="dimmed">
          It would change nothing that is shown.
        </Text>
      )}
      <FieldList kind={kind} fields={lines} />
      {main
        .filter(({ name }) => papers.has(name))
        .map((field) => (
          <Box
            key={field.name}
            className={`${style.paper} ${field.name === 'comment' ? style.comment : ''}`}
            role="group"
            aria-label={field.name === 'comment' ? 'Comment' : 'Text of the mail'}
          >
            <ShownValue kind={kind} field={field} />
          </Box>
        ))}
      <Everything {...{ approval, kind, rest }} />
    </Stack>
  );
}

const HiddenWarning = (): ReactElement => (
  <Alert color="red" variant="light" icon={<Icon name="warning" />} p="xs">
    This request has characters that cannot be seen, or that turn the direction of the text. They
    are marked where they stand.
  </Alert>
);

const FieldList = (props: {
  kind: ShownRequest['kind'];
  fields: readonly ShownField[];
}): ReactElement => (
  <dl className={style.fields}>
    {props.fields.map((field) => (
      <Box key={field.name} display="contents">
        <dt>{labelOf(field.name)}</dt>
        <dd>
          <ShownValue kind={props.kind} field={field} />
        </dd>
      </Box>
    ))}
  </dl>
);

/** The rest, which does not decide: fields that stay empty, and the request as it was filed. */
function Everything(props: {
  approval: ApprovalRequest;
  kind: ShownRequest['kind'];
  rest: readonly ShownField[];
}): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const { method, path, payloadHash, idempotencyKey, requestedBy } = props.approval;
  return (
    <Box>
      <UnstyledButton onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
        <Text size="sm" c="dimmed">
          {isOpen ? '▾' : '▸'} Everything it says
        </Text>
      </UnstyledButton>
      {isOpen && (
        <Stack gap="xs" mt="xs">
          <FieldList kind={props.kind} fields={props.rest} />
          <Text size="xs" c="dimmed" component="div">
            <Code>
              {method} {path}
            </Code>{' '}
            · Idempotency-Key <Code>{idempotencyKey}</Code> · key <Code>{requestedBy.keyId}</Code> ·
            SHA-256 of the request <Code>{payloadHash}</Code>
          </Text>
        </Stack>
      )}
    </Box>
  );
}

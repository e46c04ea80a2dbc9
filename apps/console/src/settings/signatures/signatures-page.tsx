import type { Signature } from '@postroom/contracts';
import { Badge, Button, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ChangeOrRemove } from '../../ui/confirm-button.js';
import { Icon } from '../../ui/icons.js';
import { Page, Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { signaturesQuery } from '../queries.js';
import { SignatureForm } from './signature-form.js';

export function SignaturesPage(): ReactElement {
  const query = useQuery(signaturesQuery);
  const client = useQueryClient();
  const [edited, setEdited] = useState<Signature | 'new' | null>(null);
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: signaturesQuery.queryKey });
  return (
    <Page
      title="Signatures"
      intro="Texts below the messages of a mailbox. Everybody of the workspace can use and change them."
      width={860}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEdited('new')}>
          New signature
        </Button>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="edit" title="No signatures yet">
              Write one for each mailbox, and make it the one to begin with.
            </EmptyState>
          ) : (
            <Section title="All signatures">
              <Rows label="Signatures">
                {items.map((signature) => (
                  <SignatureRow
                    key={signature.id}
                    {...{ signature, onEdit: () => setEdited(signature), onRemoved: refresh }}
                  />
                ))}
              </Rows>
            </Section>
          )
        }
      </QueryState>
      <Modal
        {...{ opened: edited !== null, onClose: () => setEdited(null), size: 'lg' }}
        {...{ title: edited === 'new' ? 'New signature' : 'Change the signature' }}
        closeOnClickOutside={false}
      >
        {edited && (
          <SignatureForm
            signature={edited === 'new' ? null : edited}
            onDone={() => {
              setEdited(null);
              void refresh();
            }}
          />
        )}
      </Modal>
    </Page>
  );
}

const SignatureRow = (props: {
  signature: Signature;
  onEdit: () => void;
  onRemoved: () => Promise<void>;
}): ReactElement => {
  const { id, name, mailbox, isDefault, text, version } = props.signature;
  return (
    <Row
      title={<bdi>{name}</bdi>}
      about={
        <>
          {mailbox ?? 'Every mailbox'} · <bdi>{text.slice(0, 120).replaceAll(/\s+/g, ' ')}</bdi>
        </>
      }
    >
      {isDefault && (
        <Badge variant="light" color="teal">
          Begins with it
        </Badge>
      )}
      <ChangeOrRemove
        {...{ name, onChange: props.onEdit }}
        question="Messages that were sent with it stay as they are."
        onRemove={async () => {
          await api.delete(`/signatures/${id}`, { ifMatch: version });
          await props.onRemoved();
        }}
      />
    </Row>
  );
};

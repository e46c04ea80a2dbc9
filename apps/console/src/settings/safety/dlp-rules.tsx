import type { DlpRule, DlpRuleAnswer } from '@postroom/contracts';
import { Badge, Button, Modal, Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ChangeOrRemove } from '../../ui/confirm-button.js';
import { tellFailure } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { dlpRulesQuery } from '../queries.js';
import { detectorNames, DlpRuleForm } from './dlp-rule-form.js';

/** Rules of what may not leave, or not without a second look. */
export function DlpRules(): ReactElement {
  const query = useQuery(dlpRulesQuery);
  const client = useQueryClient();
  const [edited, setEdited] = useState<DlpRule | 'new' | null>(null);
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: dlpRulesQuery.queryKey });
  return (
    <Section
      title="Data-loss prevention"
      about="Each rule is judged on every message, before it leaves."
      actions={
        <Button variant="default" size="xs" onClick={() => setEdited('new')}>
          New rule
        </Button>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="safety" title="No rules yet">
              A rule for card numbers is a good beginning.
            </EmptyState>
          ) : (
            <Rows label="Rules">
              {items.map((rule) => (
                <RuleRow
                  key={rule.id}
                  {...{ rule, onEdit: () => setEdited(rule), onChanged: refresh }}
                />
              ))}
            </Rows>
          )
        }
      </QueryState>
      <Modal
        {...{ opened: edited !== null, onClose: () => setEdited(null) }}
        title={edited === 'new' ? 'New rule' : 'Change the rule'}
      >
        {edited && (
          <DlpRuleForm
            rule={edited === 'new' ? null : edited}
            onDone={() => {
              setEdited(null);
              void refresh();
            }}
          />
        )}
      </Modal>
    </Section>
  );
}

function RuleRow(props: {
  rule: DlpRule;
  onEdit: () => void;
  onChanged: () => Promise<void>;
}): ReactElement {
  const { id, name, detector, action, mailboxes, enabled, version } = props.rule;
  const setEnabled = async (on: boolean): Promise<void> => {
    try {
      await api.patch<DlpRuleAnswer>(`/dlp-rules/${id}`, { enabled: on }, { ifMatch: version });
    } catch (error) {
      tellFailure(error);
    }
    await props.onChanged();
  };
  return (
    <Row
      start={
        <Switch
          {...{ checked: enabled, 'aria-label': `${name} is judged`, size: 'xs' }}
          onChange={({ currentTarget: { checked } }) => void setEnabled(checked)}
        />
      }
      title={<bdi>{name}</bdi>}
      about={`${detectorNames[detector]} · ${mailboxes.length === 0 ? 'every mailbox' : mailboxes.join(', ')}`}
    >
      <Badge variant="light" color={action === 'block' ? 'red' : 'yellow'}>
        {action === 'block' ? 'Refuses' : 'Warns'}
      </Badge>
      <ChangeOrRemove
        {...{ name, onChange: props.onEdit }}
        question="Messages are no longer judged by it."
        onRemove={async () => {
          await api.delete(`/dlp-rules/${id}`, { ifMatch: version });
          await props.onChanged();
        }}
      />
    </Row>
  );
}

import type { DlpAction, DlpDetector, DlpRule } from '@postroom/contracts';
import { Button, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { newIdempotencyKey, save } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { FormFault, useSubmit } from '../../ui/submit.js';
import { actionNames, detectorNames, patternHelp } from './detectors.js';

interface DlpRuleFormProps {
  readonly rule: DlpRule | null;
  readonly onDone: () => void;
}

const options = (names: Readonly<Record<string, string>>): { value: string; label: string }[] =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

interface RuleValues {
  name: string;
  detector: DlpDetector;
  pattern: string;
  action: DlpAction;
  mailboxes: string[];
}

const newRule: RuleValues = {
  ...{ name: '', detector: 'card_number', pattern: '', action: 'warn', mailboxes: [] },
};

/** Writes a rule. */
export function DlpRuleForm({ rule, onDone }: DlpRuleFormProps): ReactElement {
  const { mailboxes } = useAccount();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm<RuleValues>({
    initialValues: rule ? { ...rule, pattern: rule.pattern ?? '' } : newRule,
  });
  useUnsavedText(form.isDirty());
  const help = patternHelp[form.values.detector];
  const { onSubmit, fault } = useSubmit(
    form,
    async ({ name, detector, pattern, action, mailboxes: judged }) => {
      const given = {
        name,
        detector,
        action,
        mailboxes: judged,
        pattern: help === undefined ? null : pattern,
      };
      await save('/dlp-rules', rule, given, idempotencyKey);
      onDone();
    },
  );
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          {...{ label: 'Name', required: true, maxLength: 120, 'data-autofocus': true }}
          {...form.getInputProps('name')}
        />
        <Select
          {...{ label: 'Looks for', data: options(detectorNames), allowDeselect: false }}
          {...form.getInputProps('detector')}
        />
        {help !== undefined && (
          <TextInput
            {...{ label: 'What', description: help, required: true, maxLength: 1000 }}
            {...form.getInputProps('pattern')}
          />
        )}
        <Select
          {...{ label: 'Then', data: options(actionNames), allowDeselect: false }}
          {...form.getInputProps('action')}
        />
        <MultiSelect
          {...{ label: 'Mailboxes', description: 'None: every mailbox.', searchable: true }}
          data={mailboxes.map(({ address }) => address)}
          {...form.getInputProps('mailboxes')}
        />
        <FormFault fault={fault} />
        <Button type="submit" loading={form.submitting}>
          Save
        </Button>
      </Stack>
    </form>
  );
}

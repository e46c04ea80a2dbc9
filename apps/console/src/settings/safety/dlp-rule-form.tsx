import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { DlpAction, DlpDetector, DlpRule } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { newIdempotencyKey, save } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { StackForm, useSubmit } from '../../ui/submit.js';

/** Names of what a rule looks for. */
export const detectorNames: Readonly<Record<DlpDetector, string>> = {
  card_number: 'Card numbers',
  iban: 'Bank accounts (IBAN)',
  fr_ssn: 'French social security numbers',
  secret_key: 'Secret keys and passwords of machines',
  pattern: 'A pattern of your own',
  attachment_type: 'Files of a type',
  external_domain: 'Recipients of other domains',
};

/** The detectors that take something to look for, and how it is written. */
const patternHelp: Readonly<Partial<Record<DlpDetector, string>>> = {
  pattern: 'An expression (RE2). Begin it with (?i) for any letter case.',
  attachment_type:
    'Media types and extensions, separated by commas: application/zip, image/*, .exe',
  external_domain: 'The domains that are allowed, separated by commas: example.com, *.example.com',
};

export const actionNames: Readonly<Record<DlpAction, string>> = {
  warn: 'The sender has to confirm',
  block: 'The message is refused',
};

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
  const submission = useSubmit(
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
    <StackForm {...{ form, submission }}>
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
    </StackForm>
  );
}

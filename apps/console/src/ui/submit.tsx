import { Alert, Button, Code, Group, List, Stack, Text, type MantineSpacing } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState, type ReactElement, type ReactNode, type SubmitEvent } from 'react';
import { ApiProblem, fieldErrorsOf, messageOf } from '../api/problem.js';
import { Icon } from './icons.js';

export interface Submission {
  readonly onSubmit: (event?: SubmitEvent<HTMLFormElement>) => void;
  /** A refusal that no field of the form shows. */
  readonly fault: unknown;
}

/** Sends a form: faults of its fields are shown beside them, any other by {@link FormFault}. */
export function useSubmit<T extends object>(
  form: UseFormReturnType<T>,
  work: (values: T) => Promise<unknown>,
): Submission {
  const [fault, setFault] = useState<unknown>(null);
  const onSubmit = form.onSubmit(async (values) => {
    setFault(null);
    try {
      await work(values);
    } catch (error) {
      const faults = fieldErrorsOf(error);
      form.setErrors(faults);
      const isShown = Object.keys(faults).every((path) => (path.split('.')[0] ?? '') in values);
      if (Object.keys(faults).length === 0 || !isShown) setFault(error);
    }
  });
  return { onSubmit, fault };
}

/** Why a form was refused, with the id that an administrator asks for. */
export function FormFault({ fault }: { fault: unknown }): ReactElement | null {
  if (fault === null) return null;
  const problem = fault instanceof ApiProblem ? fault : null;
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      <Text size="sm">{messageOf(fault)}</Text>
      {problem && problem.details.length > 0 && (
        <List size="sm">
          {problem.details.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>
              {field !== '' && `${field}: `}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {problem?.requestId && (
        <Text size="xs" mt={4}>
          Request <Code>{problem.requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}

/** A form of one line: its fields, its button, and below why it was refused. */
export const LineForm = <T extends object>(props: {
  form: UseFormReturnType<T>;
  submission: Submission;
  label: string;
  variant?: 'default';
  children: ReactNode;
}): ReactElement => (
  <form onSubmit={props.submission.onSubmit}>
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        {props.children}
        <Button type="submit" variant={props.variant ?? 'filled'} loading={props.form.submitting}>
          {props.label}
        </Button>
      </Group>
      <FormFault fault={props.submission.fault} />
    </Stack>
  </form>
);

/** A form of fields below each other, then why it was refused, and its button; on a page, one that waits for a change. */
export function StackForm<T extends object>(props: {
  form: UseFormReturnType<T>;
  submission: Submission;
  label?: string;
  onPage?: boolean;
  noValidate?: boolean;
  gap?: MantineSpacing;
  maw?: number;
  children: ReactNode;
}): ReactElement {
  const { form, submission, label = 'Save', onPage = false, noValidate, children, ...look } = props;
  const button = (
    <Button type="submit" disabled={onPage && !form.isDirty()} loading={form.submitting}>
      {label}
    </Button>
  );
  return (
    <form onSubmit={submission.onSubmit} noValidate={noValidate}>
      <Stack {...look}>
        {children}
        <FormFault fault={submission.fault} />
        {onPage ? <Group>{button}</Group> : button}
      </Stack>
    </form>
  );
}

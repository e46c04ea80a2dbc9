import { openApiDocument, type Operation } from '@postroom/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Contents = Readonly<Record<string, unknown>>;
interface Published {
  readonly paths: Readonly<
    Record<
      string,
      Record<
        string,
        { readonly responses: Readonly<Record<string, { readonly content?: Contents }>> }
      >
    >
  >;
}

const document = openApiDocument() as Published;
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addFormat('idn-email', /^[^\s@]+@[^\s@]+$/u).addSchema(document, 'openapi');
const validators = new Map<string, ValidateFunction>();

/** Answers of many megabytes are left out: validating them takes longer than what is tried. */
const charactersMax = 200_000;

interface GivenAnswer {
  readonly status: number;
  readonly problem: string | null;
  readonly text: string;
  readonly body: unknown;
}

/**
 * Holds the answer of a public operation against the published document, as clients rely on it.
 * @throws Error when the document does not have the success, or the body does not fit its schema
 */
export function requireDeclaredAnswer(operation: Operation, answer: GivenAnswer): void {
  const { status, problem, text, body } = answer;
  if (operation.audience !== 'key' || problem !== null || text.length > charactersMax) return;
  const validate = validatorOf(operation, status);
  if (!validate || validate(body)) return;
  throw new Error(`${operation.id} is not as documented: ${ajv.errorsText(validate.errors)}`);
}

/** Null for an answer that is a file. */
function validatorOf({ method, path }: Operation, status: number): ValidateFunction | null {
  const [template, verb] = [path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase()];
  const response = document.paths[template]?.[verb]?.responses[status];
  if (!response) throw new Error(`${method} ${path} ${status} is not documented.`);
  if (!response.content?.['application/json']) return null;
  const steps = ['paths', template, verb, 'responses', String(status), 'content'];
  const pointer = [...steps, 'application/json', 'schema'].map((step) =>
    step.replaceAll('/', '~1'),
  );
  const reference = `openapi#/${encodeURI(pointer.join('/'))}`;
  const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, validate);
  return validate;
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Answer, send } from './http.js';
import type { Product } from './product.js';

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Validates answers of the product against the published OpenAPI document. */
export class Contract {
  private readonly ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  private readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  private readonly validators = new Map<string, ValidateFunction>();

  private constructor(readonly document: OpenApiDocument) {
    // ajv-formats does not have it (RFC 6531 addresses, any letters).
    this.ajv.addFormat('idn-email', /^[^\s@]+@[^\s@]+$/u);
    this.ajv.addSchema(document, 'openapi');
    this.templates = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  static async of(product: Product): Promise<Contract> {
    const answer = await send(`${product.baseUrl}/openapi.json`);
    return new Contract(JSON.parse(answer.text) as OpenApiDocument);
  }

  /**
   * Throws where an answer is not as documented: a success that the document does not have, or a
   * body, of any documented status, that does not fit its schema.
   */
  check(method: string, path: string, answer: Answer): void {
    if (method === 'HEAD') return;
    const verb = method.toLowerCase();
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.path ?? '';
    const documented = this.document.paths[template]?.[verb]?.responses[answer.status]?.content;
    const what = `${method} ${path} ${answer.status}`;
    if (!documented) {
      if (answer.status < 300) throw new Error(`${what} is not documented.`);
      return;
    }
    // Files are documented as bytes, NDJSON by its own media type.
    if (!Object.hasOwn(documented, 'application/json')) return;
    const validate = this.validatorOf('paths', template, verb, 'responses', String(answer.status));
    this.checkBody(what, validate, answer);
  }

  private checkBody(what: string, validate: ValidateFunction, { text }: Answer): void {
    if (validate(JSON.parse(text))) return;
    throw new Error(`${what} is not as documented: ${this.ajv.errorsText(validate.errors)}`);
  }

  /** Throws unless a published event fits the documented webhook of its type. */
  checkEvent(envelope: string): void {
    const event = JSON.parse(envelope) as { readonly type: string };
    const validate = this.validatorOf('webhooks', event.type, 'post', 'requestBody');
    const isDocumented: boolean = validate(event);
    if (!isDocumented) {
      const faults = this.ajv.errorsText(validate.errors);
      throw new Error(`${event.type} is not as documented: ${faults}, in: ${envelope}`);
    }
  }

  /** Validates by the schema at this place of the document. */
  private validatorOf(...place: readonly string[]): ValidateFunction {
    const steps = [...place, 'content', 'application/json', 'schema'];
    const reference = `openapi#${encodeURI(pointer(...steps))}`;
    const known = this.validators.get(reference);
    const validate = known ?? this.ajv.compile({ $ref: reference });
    this.validators.set(reference, validate);
    return validate;
  }
}

import { eventSchema, type EventEnvelope, type EventType } from '@postroom/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }), ['date-time']);
ajv.addFormat('idn-email', /^[^\s@]+@[^\s@]+$/u);
const validators = new Map<EventType, ValidateFunction>();

function validatorOf(type: EventType): ValidateFunction {
  const known = validators.get(type);
  if (known) return known;
  const made = ajv.compile(eventSchema(type, { closed: true }));
  validators.set(type, made);
  return made;
}

/**
 * An event as its outbox has it.
 * @throws Error when it is not what its type declares: no field less, and none more
 */
export function declaredEvent(envelope: string): EventEnvelope {
  const event = JSON.parse(envelope) as EventEnvelope;
  const fits = validatorOf(event.type);
  const isDeclared: boolean = fits(event);
  if (isDeclared) return event;
  throw new Error(`${event.type} is not as declared: ${ajv.errorsText(fits.errors)} ${envelope}`);
}

import {
  directoryPersons,
  invalidField,
  mailPersons,
  persons,
  Problem,
  schedulingPersons,
  type ErasureCounts,
  type ErasureStep,
  type PersonLines,
} from '@postroom/contracts';
import { handlers, OperationClient, type Reading } from '@postroom/operations';
import { requireSuccess } from '../problems.js';
import { MemberEntity } from './entities.js';

/** The services that keep data of correspondents, in the order in which they are asked. */
const services = [mailPersons, directoryPersons, schedulingPersons] as const;

const kinds = ['messages', 'mentions', 'drafts', 'contacts', 'events'] as const;

/** The place where an export or erasure goes on: the service, the place in it, and what was counted before. */
interface StepPosition {
  readonly service: number;
  readonly at: string;
  readonly counts: readonly number[];
}

const places = /^(?<service>\d) (?<counts>\d+(?:,\d+){4}) (?<at>.*)$/;

function placeOf(after: string): StepPosition {
  if (after === '') return { service: 0, at: '', counts: kinds.map(() => 0) };
  const { service = '', counts = '', at = '' } = places.exec(after)?.groups ?? {};
  if (!services[Number(service)] || service === '')
    throw invalidField('after', 'aucune suite de ce nom', 'no place where this goes on');
  return { service: Number(service), at, counts: counts.split(',').map(Number) };
}

/** The place where it goes on after a step; null after the last. */
function placeAfter({ service }: StepPosition, counts: readonly number[], after: string | null) {
  if (after !== null) return `${service} ${counts.join(',')} ${after}`;
  return services[service + 1] ? `${service + 1} ${counts.join(',')} ` : null;
}

/** Asks each service for what it keeps of a correspondent, step by step. */
export const PersonsHandlers = handlers(persons, [OperationClient], (operations) => ({
  export: async (context, { email, after }) => {
    await refuseMember(context, email);
    const { caller, requestId } = context;
    const place = placeOf(after);
    const asked = { email, after: place.at };
    const { export: read } = services[place.service] ?? mailPersons;
    const reply = await operations.call(read, caller, asked, { requestId });
    const part = JSON.parse(requireSuccess(reply).body.toString()) as PersonLines;
    return { lines: part.lines, after: placeAfter(place, place.counts, part.after) };
  },

  erase: async (context, { email, dryRun, after }) => {
    await refuseMember(context, email);
    const { caller, requestId } = context;
    const place = placeOf(after);
    const asked = { email, dryRun, after: place.at };
    const { erase } = services[place.service] ?? mailPersons;
    const reply = await operations.call(erase, caller, asked, { requestId });
    const step = JSON.parse(requireSuccess(reply).body.toString()) as ErasureStep;
    const counts = kinds.map((kind, i) => (place.counts[i] ?? 0) + step[kind]);
    const counted = Object.fromEntries(kinds.map((kind, i) => [kind, counts[i]]));
    const erasure = { dryRun, ...(counted as unknown as ErasureCounts) };
    return { erasure, after: placeAfter(place, counts, step.after) };
  },
}));

/** @throws Problem OWN_ADDRESS */
async function refuseMember({ entities }: Reading, email: string): Promise<void> {
  const isMember = await entities((manager) => manager.existsBy(MemberEntity, { email }));
  if (isMember) throw new Problem('OWN_ADDRESS');
}

import { carrierNames, type CarrierName } from '../carriers/index.js';
import type { CarrierAddress } from '../carriers/carrier.js';
import type { Part } from '../result.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';
import { Contestant, type Measured } from './contestant.js';
import { figuresOf, resultsOf, type Round } from './goals.js';
import { openPlace } from './place.js';
import { measureWholePath } from './whole-path.js';
import { scenarioIds, scenarios, type ScenarioId } from './scenarios.js';

const warmUpMs = 1_500;
const sliceMs = 1_000;
const brokerWarmUps = 4;

/** Runs bench C: in each round every carrier in every scenario once, alone, in random order. */
export async function runBusBench(options: RunOptions, say: (text: string) => void): Promise<Part> {
  const opened = await openPlace(say);
  try {
    const history = await compareCarriers(opened.place, options);
    say('C: the whole route of the list ...');
    const list = await measureWholePath(opened.place.brokers, options);
    const carriers = carrierNames.flatMap((name) =>
      scenarioIds.flatMap((scenario) => figuresOf(history, name, scenario) ?? []),
    );
    return { results: resultsOf(history), figures: { carriers, list } };
  } finally {
    await opened.close();
  }
}

async function compareCarriers(
  place: CarrierAddress,
  { rounds, ...options }: RunOptions,
): Promise<readonly Round[]> {
  const contestants = new Map<CarrierName, Contestant>();
  try {
    for (const name of carrierNames) {
      contestants.set(name, await Contestant.start(name, place, options));
    }
    for (const contestant of contestants.values()) {
      for (const scenario of scenarios) await contestant.measure(scenario, warmUpMs);
    }
    await warmBroker(contestants);
    const history: Round[] = [];
    for (let round = 0; round < rounds; round += 1) history.push(await measure(contestants));
    return history;
  } finally {
    for (const contestant of contestants.values()) await contestant.stop();
  }
}

/** A new broker's JIT compiler works for most of a minute; that of a deployment has finished. */
async function warmBroker(contestants: ReadonlyMap<CarrierName, Contestant>): Promise<void> {
  for (let pass = 0; pass < brokerWarmUps; pass += 1) {
    for (const scenario of scenarios) {
      await contestants.get('bare-kafka')?.measure(scenario, warmUpMs);
      await contestants.get('kafka-bus')?.measure(scenario, warmUpMs);
    }
  }
}

/** Scenario by scenario, so that what is compared was measured within the same seconds. */
async function measure(contestants: ReadonlyMap<CarrierName, Contestant>): Promise<Round> {
  const round = new Map<CarrierName, Map<ScenarioId, Measured>>();
  for (const name of contestants.keys()) round.set(name, new Map());
  for (const scenario of shuffled(scenarios)) {
    for (const [name, contestant] of shuffled([...contestants])) {
      round.get(name)?.set(scenario.id, await contestant.measure(scenario, sliceMs));
    }
  }
  return round;
}

const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Names from here to a place, `*` for each item of a list. */
export type Path = readonly string[];

interface Container {
  readonly isList: boolean;
  /** Where the places are from here. */
  readonly paths: readonly Path[];
  /** Of the member whose value comes: null while its name is what comes. */
  name: string | null;
}

/** A name with every character escaped is six times as long; a longer one is none of ours. */
const nameBytesMax = 600;

/**
 * Follows the structure of a JSON text, so far as it is on the way to places that are looked for: what
 * is anywhere else costs a number. Of a text that is no JSON it says anything at all.
 */
export class JsonPlaces {
  private readonly containers: Container[] = [];
  /** Containers within the innermost of those, where no place can be. */
  private depthElsewhere = 0;
  private nameBytes: number[] = [];
  private begun = 0;

  constructor(private readonly paths: readonly Path[]) {}

  /** Values that have begun, no name among them: their separators, and what they stand in. */
  get values(): number {
    return this.begun;
  }

  /** Whether the text that begins here stands at a place. */
  get isPlace(): boolean {
    return this.pathsHere().some((path) => path.length === 0);
  }

  /** Whether the text that begins here is a name on the way. */
  get isName(): boolean {
    const container = this.containers.at(-1);
    return this.depthElsewhere === 0 && container?.isList === false && container.name === null;
  }

  /** A byte of a name. */
  addToName(byte: number): void {
    if (this.nameBytes.length <= nameBytesMax) this.nameBytes.push(byte);
  }

  endOfName(): void {
    const container = this.containers.at(-1);
    if (container) container.name = textOf(this.nameBytes);
    this.nameBytes = [];
  }

  /** A byte outside of texts. */
  structure(byte: number): void {
    if (byte === openList || byte === openObject || byte === comma) this.begun += 1;
    if (byte === openList || byte === openObject) this.open(byte === openList);
    else if (byte === closeList || byte === closeObject) this.close();
    else if (byte === comma) this.nextMember();
  }

  private open(isList: boolean): void {
    const paths =
      this.depthElsewhere === 0 ? this.pathsHere().filter((path) => path.length > 0) : [];
    if (paths.length > 0) this.containers.push({ isList, paths, name: null });
    else this.depthElsewhere += 1;
  }

  private close(): void {
    if (this.depthElsewhere > 0) this.depthElsewhere -= 1;
    else this.containers.pop();
  }

  private nextMember(): void {
    const container = this.containers.at(-1);
    if (this.depthElsewhere === 0 && container) container.name = null;
  }

  /** What is left of each path for the value that begins here. */
  private pathsHere(): readonly Path[] {
    if (this.depthElsewhere > 0) return [];
    const container = this.containers.at(-1);
    if (!container) return this.paths;
    const { isList, paths, name } = container;
    // A member may be named `*` too, and is no item for that.
    const wanted = isList ? '*' : name === '*' ? null : name;
    return paths.flatMap(([first, ...rest]) => (first === wanted ? [rest] : []));
  }
}

/** Of the bytes between the quotes of a text: what JSON makes of them, if they are one. */
function textOf(bytes: readonly number[]): string {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString()}"`));
  } catch {
    return '';
  }
}

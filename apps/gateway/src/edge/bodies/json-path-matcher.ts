const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The path of a value in a JSON text: names of members, `*` for each item of a list. */
export type Path = readonly string[];

interface Container {
  readonly isList: boolean;
  /** What remains of each path that leads into it. */
  readonly paths: readonly Path[];
  /** The name of the current member of an object; null until it has been read. */
  name: string | null;
}

/** Longer than every name in the contract with each of its characters escaped, which takes six. */
const nameBytesMax = 600;

/**
 * Follows the structure of a JSON text and tells which strings are at given paths. Containers that no
 * path leads into are only counted. If the text is not valid JSON, the answers mean nothing.
 */
export class JsonPathMatcher {
  private readonly containers: Container[] = [];
  /** Open containers inside the innermost of these, which no path leads into. */
  private depthElsewhere = 0;
  private nameBytes: number[] = [];
  private valueCount = 0;

  constructor(private readonly paths: readonly Path[]) {}

  /** Values so far, counted by their separators and containers; names are none. */
  get values(): number {
    return this.valueCount;
  }

  /** Whether the string that begins here is at one of the paths. */
  get isMatch(): boolean {
    return this.pathsHere().some((path) => path.length === 0);
  }

  /** Whether the string that begins here is a name that may belong to a path. */
  get isName(): boolean {
    const container = this.containers.at(-1);
    return this.depthElsewhere === 0 && container?.isList === false && container.name === null;
  }

  addToName(byte: number): void {
    if (this.nameBytes.length <= nameBytesMax) this.nameBytes.push(byte);
  }

  endOfName(): void {
    const container = this.containers.at(-1);
    if (container) container.name = stringOf(this.nameBytes);
    this.nameBytes = [];
  }

  /** Takes a byte outside of strings. */
  structure(byte: number): void {
    if (byte === openList || byte === openObject || byte === comma) this.valueCount += 1;
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

  /** What remains of each path that leads to the value that begins here. */
  private pathsHere(): readonly Path[] {
    if (this.depthElsewhere > 0) return [];
    const container = this.containers.at(-1);
    if (!container) return this.paths;
    const { isList, paths, name } = container;
    // A member that is named `*` is no item of a list.
    const wanted = isList ? '*' : name === '*' ? null : name;
    return paths.flatMap(([first, ...rest]) => (first === wanted ? [rest] : []));
  }
}

/** The string between quotes in JSON; empty if it is not valid. */
function stringOf(bytes: readonly number[]): string {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString()}"`));
  } catch {
    return '';
  }
}

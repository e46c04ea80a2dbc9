import { streamSafe } from '@postroom/contracts/same-text';
import { ordersByLanguage } from './instructions-by-language.js';

/** Marks of the conversation formats of language models, and of this server's own tools and fences. */
const marks =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|assistant|tool_(?:use|result|call)s?|function_(?:calls?|results?)|untrusted-content)\b|\bsvc_(?:search|conversation|draft|contact|calendar|task)[a-z_]*|"(?:tool_calls|structuredcontent|tool_result|approvalrequired)"\s*:|"jsonrpc"\s*:\s*"2\.0"|^[ \t]{0,8}#{2,6}[ \t]{0,8}(?:system|assistant)(?: (?:prompt|message|instructions?))?:?[ \t]{0,8}$|\b(?:begin|end) (?:system|admin(?:istrator)?|developer) (?:prompt|message|instructions?|override)\b/imu;

const assistants = String.raw`(?:a\.?i\.?|artificial intelligence|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt-?\d*|copilot|(?:a\.?i\.?|virtual|automated|email|mail|digital)[ -](?:assistants?|agents?)|assistants? (?:ia|virtuel)|agents? ia|ki-assistent(?:en)?|intelligence artificielle|mod[eè]le de langage|sprachmodell|asistente (?:de )?ia|inteligencia artificial)`;

/** Texts that address a machine which reads mail. */
const addressed = new RegExp(
  [
    String.raw`\b(?:attention|dear|hello|hi|hey|note|message|instructions?|important|notice)[ ,:]{1,3}(?:to |for |all )?(?:the |any |all |every )?${assistants}\b`,
    String.raw`\bif you(?:'re| are) (?:an? |the )?${assistants}\b`,
    String.raw`\b(?:si vous [eê]tes|si tu es|wenn du|wenn sie|si eres) (?:une? |eine? |un )?${assistants}`,
    String.raw`\byou are (?:now )?(?:an? |the )?(?:unrestricted|uncensored|jailbroken|dan\b|${assistants})`,
    String.raw`\bas an? ${assistants},? (?:you|your)\b`,
    String.raw`\b${assistants}\b[^.\n]{0,60}\b(?:reading|processing|summari[sz]ing|handling) this (?:e-?mail|message|text|thread)\b`,
    String.raw`\b(?:when|while) (?:you )?(?:summari[sz]\w+|process\w*) this (?:e-?mail|message|thread),? (?:you (?:must|should)|please|also|do not|always|include|add|say)\b`,
    String.raw`\b(?:instructions?|command|directive|task) (?:to|for) (?:the |any |all )?${assistants}\b`,
    String.raw`\b(?:instructions?|consignes?|directives?) (?:pour|à|destinées à) (?:l['’]|les |toute? )?${assistants}`,
    String.raw`\banweisung(?:en)? (?:für|an) (?:die |den |das )?${assistants}`,
  ].join('|'),
  'iu',
);

/** Phrases that are addressed to a machine only. */
const overriding = new RegExp(
  [
    String.raw`\b(?:ignore|disregard|forget|override|bypass) (?:all |any )?(?:of )?(?:your |the |these )?(?:(?:previous|prior|earlier|above|preceding|existing|original|safety|system) )+(?:system |safety )?(?:prompts?|instructions?,? and\b|guidelines?|guardrails|rules and|programming|instructions?\b[^.\n]{0,40}\b(?:system|prompt|tool|model|and (?:instead )?(?:send|forward|reply|reveal|print|output|call|list|delete|export|search)))`,
    String.raw`\b(?:ignore|disregard|forget) (?:all|any) (?:of )?(?:your |the )?(?:previous|prior|earlier|above) (?:instructions?|directions|commands|rules)\b`,
    String.raw`\bignorez? (?:toutes )?(?:les|tes|vos) (?:instructions|consignes) (?:précédentes|antérieures|ci-dessus|système)\b`,
    String.raw`\bignoriere (?:alle )?(?:vorherigen|bisherigen|obigen) (?:anweisungen|instruktionen)\b`,
    String.raw`\bignora (?:todas )?las instrucciones (?:anteriores|previas)\b`,
    String.raw`\b(?:reveal|print|repeat|output|show|leak)(?: me)? (?:your|the|its) (?:full |entire |hidden )?(?:system prompt|initial instructions|hidden instructions|developer message)\b`,
    String.raw`\b(?:system prompt|developer mode|jailbreak) (?:override|enabled|activated|:)`,
    String.raw`\bnew (?:system )?(?:instructions|directives) (?:for you|from (?:the )?(?:system|developer|admin(?:istrator)?))\b`,
    String.raw`\b(?:call|use|invoke|run|execute) (?:the |your )?(?:tool|function|mcp)s? (?:named |called |to |\W?\w+_\w+)`,
    String.raw`\bwithout (?:asking|telling|informing|notifying|alerting) (?:the |your )?(?:user|human|operator|owner)\b`,
    String.raw`\bdo not (?:tell|inform|mention (?:this|it) to|alert|notify) (?:the |your )(?:user|human|operator)\b`,
    String.raw`\b(?:human|user|administrator|manager|operator) (?:has |have )?(?:already )?(?:pre-?)?approved (?:this|all|the|any|every) (?:tool|action|write|request|operation|call|draft)s?\b`,
    String.raw`\b(?:forward|send|e-?mail|exfiltrate|export|upload|post) (?:all|every|the (?:last|latest|newest)|any) (?:[\w'’-]+ ){0,4}(?:e-?mails?|messages|conversations|contacts|credentials|passwords|api keys?|inbox|mailbox(?:es)?) (?:to|at|into) [^\s@]+@`,
  ].join('|'),
  'iu',
);

const unitsMax = 200_000;
/** Runs that may be base64: how many are decoded, and how much of each. */
const encodedMax = 20;
const encodedUnitsMax = 8_000;
const encoded = /[A-Za-z0-9+/]{40,}={0,2}/g;

/** Recognises a text that instructs an assistant. A hint: it misses some, and proves nothing. */
export function areInstructions(text: string): boolean {
  const start = text.slice(0, unitsMax);
  return (
    marks.test(start) || speaksToMachines(plain(start)) || decodedRuns(start).some(speaksToMachines)
  );
}

const speaksToMachines = (text: string): boolean =>
  marks.test(text) ||
  addressed.test(text) ||
  overriding.test(text) ||
  ordersByLanguage.some((orders) => orders.test(text));

const tags = /[\u{e0020}-\u{e007e}]/gu;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** A text as a model would understand it: what is written in tag characters is read, and look-alikes too. */
const plain = (text: string): string =>
  streamSafe(
    text
      .replace(tags, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
      .replace(invisible, ''),
  )
    .normalize('NFKC')
    .replace(/[’‘]/g, "'")
    .replace(/[ \t\u00a0]+/g, ' ')
    // A sentence that is wrapped is one sentence.
    .replace(/([^\n]) ?\n(?=[^\n])/g, '$1 ');

function decodedRuns(text: string): string[] {
  const runs = [...(text.replace(/\r?\n(?=[A-Za-z0-9+/=]{20})/g, '').match(encoded) ?? [])];
  return runs.slice(0, encodedMax).flatMap((run) => {
    const decoded = Buffer.from(run.slice(0, encodedUnitsMax), 'base64').toString();
    return /^[\t\n\r -~\u00a0-\u{10ffff}]+$/u.test(decoded) ? [plain(decoded)] : [];
  });
}

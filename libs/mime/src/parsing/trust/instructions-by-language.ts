/** Words of a language, as parts of regular expressions. */
interface Vocabulary {
  readonly ignore: string;
  readonly orders: string;
  readonly previous: string;
  /** Words for a person's own: "ignore my previous instructions" is written to a colleague. */
  readonly mine: string;
  readonly assistant: string;
  readonly ifYouAre: string;
  readonly reveal: string;
  readonly prompt: string;
  readonly send: string;
  readonly allMails: string;
  /** Characters between two words of one sentence, where 40 are more than a sentence has. */
  readonly nearMax?: number;
}

const ai = String.raw`(?:ai|ia|a\.i\.|llm|chat ?bot|chatgpt|gpt|yz|ии|бот)`;

const vocabularies: readonly Vocabulary[] = [
  {
    // Portuguese
    ignore: 'ignor[ae]r?|desconsider[ae]r?|esque[çc]a',
    orders: 'instru[çc][õo]es|ordens|diretrizes|comandos|regras',
    previous: 'anteriores|pr[ée]vias|acima|precedentes',
    mine: 'minhas|meus|nossas',
    assistant: `assistente (?:de )?${ai}|assistente virtual|intelig[êe]ncia artificial|modelo de linguagem`,
    ifYouAre: 'se (?:voc[êe] [ée]|(?:tu )?[ée]s) (?:uma? |o )?',
    reveal: 'revel[ae]|mostre|exib[ae]|imprim[ae]|repit[ae]',
    prompt: 'prompt d[eo] sistema|system prompt|instru[çc][õo]es (?:do sistema|iniciais|ocultas)',
    send: 'envi[ae]r?|encaminh[ae]r?',
    allMails: 'tod[oa]s (?:[oa]s )?(?:e-?mails|mensagens|contatos|contactos|senhas)',
  },
  {
    // Italian
    ignore: 'ignora(?:re|te)?|dimentica(?:re|te)?|trascura',
    orders: 'istruzioni|ordini|direttive|comandi|regole',
    previous: 'precedenti|sopra|anteriori',
    mine: 'mie|miei|nostre',
    assistant: `assistente (?:di )?${ai}|assistente virtuale|intelligenza artificiale|modello linguistico`,
    ifYouAre: 'se sei (?:un |un.|una )?',
    reveal: 'rivela|mostra|stampa|ripeti',
    prompt: 'prompt di sistema|system prompt|istruzioni (?:di sistema|iniziali|nascoste)',
    send: 'invia(?:re)?|inoltra(?:re)?',
    allMails: 'tutt[ei] (?:le |i |gli )?(?:e-?mail|messaggi|contatti|password)',
  },
  {
    // Dutch
    ignore: 'negeer|vergeet|sla',
    orders: 'instructies|opdrachten|aanwijzingen|regels',
    previous: 'vorige|eerdere|voorgaande|bovenstaande',
    mine: 'mijn|onze',
    assistant: `${ai}[- ]?(?:assistent|model|agent)|virtuele assistent|taalmodel|kunstmatige intelligentie`,
    ifYouAre: 'als (?:je|jij|u) (?:een |de )?',
    reveal: 'toon|onthul|herhaal|geef',
    prompt: 'systeemprompt|system prompt|(?:verborgen|oorspronkelijke) instructies',
    send: 'stuur|verstuur|verzend',
    allMails: 'alle (?:e-?mails|berichten|contacten|wachtwoorden)',
  },
  {
    // Polish
    ignore: '(?:z?ignoruj|pomi[ńn]|zapomnij)(?:cie)?(?: o)?',
    orders: 'instrukcj[eai]+|polece[nń]i?[ae]?|wytyczn[eyc]+h?|wskaz[óo]wk[iae]',
    previous: 'poprzedni[each]+|wcze[śs]niejsz[eychm]+|powy[żz]sz[eychm]+',
    mine: 'moje|moich|nasze',
    assistant: `asystent(?:em)? ${ai}|wirtualny(?:m)? asystent(?:em)?|sztuczn[ąa] inteligencj[ąa]|modelem j[ęe]zykowym`,
    ifYouAre: 'je(?:[śs]li|[żz]eli) jeste[śs] ',
    reveal: 'ujawnij|poka[żz]|wypisz|powt[óo]rz',
    prompt: 'prompt systemowy|system prompt|(?:instrukcje|polecenia) systemowe',
    send: 'wy[śs]lij|prze[śs]lij|przeka[żz]',
    allMails: 'wszystkie (?:e-?maile|wiadomo[śs]ci|kontakty|has[łl]a)',
  },
  {
    // Turkish
    ignore: 'yok say|g[öo]rmezden gel|dikkate alma|unut',
    orders: 'talimat|y[öo]nerge|komut|emir',
    previous: '[öo]nceki|yukar[ıi]daki|ge[çc]mi[şs]',
    mine: 'benim|talimat[ıi]m|bizim',
    assistant: `yapay zek[aâ](?: asistan[ıi])?|${ai} asistan[ıi]|sanal asistan|dil modeli`,
    ifYouAre: 'e[ğg]er (?:sen )?(?:bir )?',
    reveal: 'g[öo]ster|a[çc][ıi]kla|yazd[ıi]r|tekrarla',
    prompt: 'sistem (?:prompt|istem|talimat)|system prompt',
    send: 'g[öo]nder|ilet',
    allMails: 't[üu]m (?:e-?postalar[ıi]?|mesajlar[ıi]?|ki[şs]iler[ıi]?|[şs]ifreler[ıi]?)',
  },
  {
    // Russian
    ignore: '(?:про)?игнориру(?:й|йте)|забудь(?:те)?|не обращай(?:те)? внимания на|отбрось(?:те)?',
    orders: 'инструкци[ийяю]|указани[яей]+|команд[ыау]?|распоряжени[яей]+|правил[аоы]?',
    previous: 'предыдущ[иеаяйхм]+|прежн[иеяхм]+|вышеуказанн[ыехм]+|преды[шщ]едш[иехм]+',
    mine: 'мои|моих|наши|наших',
    assistant:
      'ии(?:[- ](?:ассистент|помощник))?|искусственн[а-я]+ интеллект(?:ом)?|виртуальн[а-я]+ (?:ассистент|помощник)(?:ом)?|языков[а-я]+ модель(?:ю)?',
    ifYouAre: 'если (?:ты|вы)(?: ?[-—–])? ?(?:являешься |являетесь )?',
    reveal: 'раскрой(?:те)?|покажи(?:те)?|выведи(?:те)?|повтори(?:те)?',
    prompt: 'системн[а-я]+ (?:промпт|подсказк[а-я]+|инструкци[а-я]+)|system prompt',
    send: 'отправь(?:те)?|перешли(?:те)?|вышли(?:те)?',
    allMails: 'все (?:письма|сообщения|контакты|пароли)',
  },
  {
    // Chinese
    nearMax: 10,
    ignore: '忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會',
    orders: '指令|指示|说明|說明|命令|规则|規則|提示',
    previous: '之前|以前|先前|上面|上述|前面|此前|以上|所有的?先前',
    mine: '我(?:的|们|們)',
    assistant: `(?:${ai}|人工智能|人工智慧|智能|虚拟|虛擬) ?(?:助手|助理|模型)|大?(?:语言|語言)模型|人工智能|人工智慧`,
    ifYouAre: '如果(?:你|您)是(?:一个|一個|一名)?',
    reveal: '透露|显示|顯示|输出|輸出|重复|重複|泄露',
    prompt: '系统提示词?|系統提示詞?|系统指令|系統指令|system prompt',
    send: '发送|發送|转发|轉發|寄送',
    allMails: '(?:所有|全部)的?(?:邮件|郵件|电子邮件|電子郵件|消息|訊息|联系人|聯絡人|密码|密碼)',
  },
  {
    // Japanese
    nearMax: 10,
    ignore: '無視|忘れ|従わない',
    orders: '指示|命令|指令|ルール|プロンプト',
    previous: '以前|これまで|上記|前の|先ほど|今まで|従来|直前',
    mine: '私(?:の|から)|弊社の|当社の',
    assistant: `(?:${ai}|人工知能|仮想|バーチャル)(?:の)? ?(?:アシスタント|エージェント|モデル)|人工知能|言語モデル`,
    ifYouAre: '(?:もし)?あなたが',
    reveal: '表示|公開|出力|開示|教えて',
    prompt: 'システム ?プロンプト|システム指示|初期指示|system prompt',
    send: '送信|転送|送って',
    allMails: '(?:すべて|全て|全部)の(?:メール|メッセージ|連絡先|パスワード)',
  },
  {
    // Arabic
    ignore: 'تجاهل(?:ي|وا)?|انس(?:ى|ي|وا)?|أهمل',
    orders: '(?:ال)?تعليمات|(?:ال)?أوامر|(?:ال)?توجيهات|(?:ال)?قواعد',
    previous: 'السابقة|أعلاه|المذكورة|القديمة',
    mine: 'تعليماتي|أوامري|تعليماتنا',
    assistant:
      '(?:ال)?مساعد(?:ا|ًا)? (?:ال)?(?:ذكي|ذكاء|افتراضي|آلي)[^ ]*|(?:ال)?ذكاء (?:ال)?اصطناعي|نموذج(?:ا|ًا)? لغوي[^ ]*',
    ifYouAre: 'إذا كنت ',
    reveal: 'اكشف|اعرض|أظهر|اطبع|كرر',
    prompt: 'موجه النظام|تعليمات النظام|مطالبة النظام|system prompt',
    send: 'أرسل|ارسل|حو[ّ]?ل|أعد توجيه',
    allMails: '(?:جميع|كل) (?:ال)?(?:رسائل|بريد|جهات الاتصال|كلمات المرور)',
  },
  {
    // Korean
    ignore: '무시|잊(?:어|으)|따르지 ?마',
    orders: '지시|명령|지침|규칙|프롬프트',
    previous: '이전|앞선|위의|기존|지금까지|앞의',
    mine: '제가|저의|내가|나의|우리',
    assistant: `(?:${ai}|인공 ?지능|가상) ?(?:비서|어시스턴트|도우미|모델|에이전트)|인공 ?지능|언어 ?모델`,
    ifYouAre: '(?:만약 )?(?:당신이|네가|귀하가) ',
    reveal: '공개|출력|보여|알려',
    prompt: '시스템 ?프롬프트|시스템 ?지시|system prompt',
    send: '전송|보내|전달',
    allMails: '모든 ?(?:이메일|메일|메시지|연락처|비밀번호)',
  },
];

const address = String.raw`[^\s@]{1,64}@[^\s@]{1,100}`;

const ordersOf = (words: Vocabulary): string => {
  const { ignore, orders, previous, mine, assistant, ifYouAre, reveal, prompt, send, allMails } =
    words;
  const near = `[^.!?。！？\\n]{0,${words.nearMax ?? 40}}`;
  // A verb may stand at either end.
  const inAnyOrder = (one: string, other: string): string =>
    `(?:(?:${one})${near}(?:${other})|(?:${other})${near}(?:${one}))`;
  const notMine = `(?!${near}(?:${mine}))`;
  const these = inAnyOrder(orders, previous);
  const isCalled = `(?:${ifYouAre})(?:${assistant})`;
  return [
    `(?:${ignore})${notMine}${near}${these}`,
    `${notMine}${these}${near}(?:${ignore})`,
    inAnyOrder(reveal, prompt),
    isCalled,
    `(?:${allMails})${near}${address}${near}(?:${send})`,
    `(?:${send})${near}(?:${allMails})${near}${address}`,
  ].join('|');
};

/**
 * Orders to an assistant in other languages than those of `instructions.ts`: to ignore what it was told, to tell its
 * prompt, to send mail away; or a text that speaks to it. Each part is bounded, so that a text is read in linear time.
 */
export const ordersByLanguage: readonly RegExp[] = vocabularies.map(
  (words) => new RegExp(ordersOf(words), 'iu'),
);

import '@mantine/tiptap/styles.css';
import { Link, RichTextEditor } from '@mantine/tiptap';
import { Placeholder } from '@tiptap/extensions';
import { Extension, useEditor, type Editor } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useEffectEvent, useRef, useState, type ReactElement } from 'react';
import { withoutStyles } from '../mail-frame/parsed.js';
import { nonce } from '../theme.js';
import classes from './compose.module.css';

interface EditorProps {
  readonly html: string;
  readonly label?: string;
  readonly placeholder?: string;
  readonly isFrozen?: boolean;
  readonly hasFocus?: boolean;
  readonly onChange: (html: string) => void;
  /** Called with the HTML of what the editor makes of a text that is put into it. */
  readonly onShown?: (html: string) => void;
}

/** Ctrl and Enter belong to the form around the editor, and break no line even where it does nothing. */
const noBreak = Extension.create({
  name: 'noBreak',
  priority: 1_000,
  addKeyboardShortcuts: () => ({ 'Mod-Enter': () => true }),
});

const extensionsOf = (placeholder: string) => [
  noBreak,
  StarterKit.configure({ link: false }),
  Link.configure({ openOnClick: false }),
  Placeholder.configure({ placeholder }),
];

const htmlOf = (editor: Editor): string => (editor.isEmpty ? '' : editor.getHTML());

/** The editor of a message. What is pasted keeps what a message may have: no colours, tables, images or scripts. */
export function MailEditor(props: EditorProps): ReactElement {
  const { html, label = 'Message', isFrozen = false, hasFocus = false, onChange } = props;
  const told = useRef<string | null>(null);
  const onShown = useEffectEvent((shown: string) => props.onShown?.(shown));
  const [{ extensions, content }] = useState(() => ({
    extensions: extensionsOf(props.placeholder ?? ''),
    content: withoutStyles(html),
  }));
  const editor = useEditor({
    ...{ extensions, content, injectNonce: nonce, immediatelyRender: true },
    autofocus: hasFocus ? 'start' : false,
    editorProps: { attributes: { 'aria-label': label, class: classes.message ?? '' } },
    onUpdate: ({ editor: changed }) => {
      told.current = htmlOf(changed);
      onChange(told.current);
    },
  });
  useEffect(() => {
    // One that was drawn too slowly is destroyed before it is mounted, and another follows.
    if (editor.isDestroyed || html === told.current) return;
    if (told.current !== null)
      editor.commands.setContent(withoutStyles(html), { emitUpdate: false });
    told.current = htmlOf(editor);
    onShown(told.current);
  }, [editor, html]);
  useEffect(() => {
    editor.setEditable(!isFrozen, false);
  }, [editor, isFrozen]);
  return (
    <RichTextEditor editor={editor} variant="subtle" className={classes.editor ?? ''}>
      <RichTextEditor.Content className={classes.content ?? ''} />
      <RichTextEditor.Toolbar>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.Bold />
          <RichTextEditor.Italic />
          <RichTextEditor.Underline />
          <RichTextEditor.Strikethrough />
        </RichTextEditor.ControlsGroup>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.BulletList />
          <RichTextEditor.OrderedList />
          <RichTextEditor.Blockquote />
          <RichTextEditor.Code />
        </RichTextEditor.ControlsGroup>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.Link />
          <RichTextEditor.Unlink />
          <RichTextEditor.ClearFormatting />
        </RichTextEditor.ControlsGroup>
      </RichTextEditor.Toolbar>
    </RichTextEditor>
  );
}

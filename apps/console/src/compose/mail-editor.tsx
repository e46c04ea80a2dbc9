import '@mantine/tiptap/styles.css';
import { Link, RichTextEditor } from '@mantine/tiptap';
import { Placeholder } from '@tiptap/extensions';
import { useEditor, type Editor } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useEffectEvent, useRef, type ReactElement } from 'react';
import { nonce } from '../theme.js';
import classes from './compose.module.css';

interface EditorProps {
  readonly html: string;
  readonly isFrozen: boolean;
  readonly hasFocus: boolean;
  readonly onChange: (html: string) => void;
  /** Called with the HTML of what the editor makes of a text that is put into it. */
  readonly onShown: (html: string) => void;
}

const extensions = [
  StarterKit.configure({ link: false }),
  Link.configure({ openOnClick: false }),
  Placeholder.configure({ placeholder: 'Write your message' }),
];

const htmlOf = (editor: Editor): string => (editor.isEmpty ? '' : editor.getHTML());

/** The editor of a message. What is pasted keeps what a message may have: no colours, tables, images or scripts. */
export function MailEditor(props: EditorProps): ReactElement {
  const { html, isFrozen, hasFocus, onChange } = props;
  const told = useRef<string | null>(null);
  const onShown = useEffectEvent(props.onShown);
  const editor = useEditor({
    ...{ extensions, content: html, injectNonce: nonce, immediatelyRender: true },
    autofocus: hasFocus ? 'start' : false,
    editorProps: { attributes: { 'aria-label': 'Message', class: classes.message ?? '' } },
    onUpdate: ({ editor: changed }) => {
      told.current = htmlOf(changed);
      onChange(told.current);
    },
  });
  useEffect(() => {
    // One that was drawn too slowly is destroyed before it is mounted, and another follows.
    if (editor.isDestroyed || html === told.current) return;
    if (told.current !== null) editor.commands.setContent(html, { emitUpdate: false });
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

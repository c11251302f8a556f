import {
  Button as AriaButton,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from "react-aria-components";
import styles from "./Overlay.module.css";

interface ComboboxProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Lets the person keep a text that is no option. */
  readonly free?: boolean;
}

/** A text field with a list of the options that match what is typed. */
export function Combobox({ label, value, options, onChange, placeholder, free = false }: ComboboxProps) {
  return (
    <ComboBox
      aria-label={label}
      allowsCustomValue={free}
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      menuTrigger="focus"
    >
      <Label className="sr-only">{label}</Label>
      <div className={styles["field"]}>
        <Input placeholder={placeholder} />
        <AriaButton>▾</AriaButton>
      </div>
      <Popover className={styles["popover"] ?? ""}>
        <ListBox className={styles["menu"] ?? ""}>
          {options.map((option) => (
            <ListBoxItem key={option} id={option} textValue={option} className={styles["item"] ?? ""}>
              {option}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
